import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadGlobalConfig } from '../../src/authoring/config/global-config.ts';
import { readEvaluation } from '../../src/authoring/eval/read-eval.ts';
import { wayOutOf } from '../../src/authoring/loading/claims/commands.ts';
import { checkAgents } from '../../src/doors/cli/commands/check-agents.ts';
import { messageOf } from '../../src/errors.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

// What people are told of faults in files, all of it: after a change that is meant, `-u` writes `accepted/` anew.

/** What came of each text, one below the other. */
async function expectTold(
  name: string,
  texts: readonly string[],
  tell: (text: string) => Promise<string> | string,
): Promise<void> {
  const told: string[] = [];
  for (const text of texts) told.push(`${text.trim()}\n  ${(await tell(text)).replaceAll('\n', '\n  ')}\n`);
  await expect(told.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'accepted', `${name}.txt`));
}

const failing = async (work: () => Promise<unknown>) => work().then(() => 'nothing', messageOf);

test('a config says of each key what it takes, and never what it holds', async () => {
  const provider = ['api_key', 'base_url', 'protocol', 'strict_roles', 'idle_timeout', 'api_version'];
  const texts = [
    ...provider.map((key) => `[providers.openai]\n${key} = []`),
    ...['protocol = "grpc"', 'idle_timeout = 0', 'idle_timeout = 86401', 'key = "x"'].map(
      (line) => `[providers.openai]\n${line}`,
    ),
    'providers = 1',
    '[providers]\nopenai = 1',
    '[providers."a b"]\nprotocol = "openai"',
    '[providers.acme]\napi_key = "x"',
    '[prices."a/b"]\ninput = 1',
    '[prices."a/b"]\ninput = -1\noutput = 1',
    '[prices."a/b"]\ninput = nan\noutput = 1',
    '[prices."a/b"]\ninput = "x"\noutput = 1',
    '[prices."a/b"]\ninput = 1\noutput = 1\ncache_red = 1',
    'prices = 1',
    '[prices.a]\ninput = 1\noutput = 1',
    'trust = 1',
    '[trust]\nfolders = "x"',
    '[trust]\nfolders = [1]',
    '[trust]\nfolders = ["x"]',
    '[web_search]\napi_key = "x"',
    '[web_search]\nprovider = "x"',
    '[web_search]\nprovider = "tavily"\napi_key = 1',
    '[web_search]\nprovider = "tavily"\nurl = 1',
    '[web_search]\nprovider = "tavily"\nurl = "x"',
    '[web_search]\nprovider = "searxng"',
    '[web_search]\nprovider = "model"\napi_key = "x"',
    'web_search = 1',
    '[prices]\n"openai/x" = 1',
    '[prices."openai/x"]\ninput = 1',
    'secrets = 1',
    '[secrets]\nA = 1',
    'limits = 1',
    '[limits]\nusd_per_day = "x"',
    '[limits]\nusd_per_day = 0',
    '[limits]\nusd_per_owner_per_day = -1',
    'serve = 1',
    '[serve]\na2a = 1',
    'notify = 1',
    ...['webhook', 'secret', 'slack', 'url', 'mail'].map((key) => `[notify]\n${key} = []`),
    ...['webhook', 'slack', 'url'].map((key) => `[notify]\n${key} = "x"`),
    '[notify]\nurl = "https://a.example/path"',
    '[notify]\nwebhook = "https://a.example"\nsecret = ""',
    '[provider.openai]\napi_key = "x"',
    'x = ',
  ];
  await expectTold('config', texts, async (text) => {
    const root = await tempFolder({ 'cadre/config.toml': text });
    const load = async () =>
      loadGlobalConfig({ env: { XDG_CONFIG_HOME: root }, readFile: async () => Buffer.from(text) });
    return (await failing(load)).replaceAll(root, 'ROOT');
  });
});

test('an evaluation says of each key what it takes', async () => {
  const CASE = '[[cases]]\nname = "one"\nprompt = "go"\n';
  const top = (line: string) => `agent = "top"\n${line}\n${CASE}`;
  const inCase = (line: string) => `agent = "top"\n${CASE}${line}`;
  const expecting = (entry: string) => inCase(`expect = [{ ${entry} }]`);
  const texts = [
    'agent = 1',
    'agent = " "',
    ...['repeat = "x"', 'repeat = 1.5', 'repeat = 1001', 'concurrency = 0', 'concurrency = 257'].map(top),
    ...['cache = 1', 'functions = 1', 'functions = " "', 'cases_from = 1', 'judge = 1', 'thresholds = 1'].map(
      top,
    ),
    ...['pass = -0.1', 'pass = 1.1', 'pass = "x"', 'usd = -1', 'usd = "x"', 'p95_seconds = -1'].map((line) =>
      top(`[thresholds]\n${line}`),
    ),
    top('[judge]\nmodel = 1'),
    top('[judge]'),
    ...['input = 1', 'input_file = 1', 'attach = 1', 'attach = [""]', 'files = 1', 'person = ""'].map(inCase),
    ...[
      'knows = 1',
      'timeout = 0',
      'timeout = 1.5',
      'x = 1',
      'expect = 1',
      'knows = "x"',
      'cases_from = ""',
    ].map(inCase),
    inCase('input = "x"\ninput_file = "y"'),
    inCase('input_file = "missing.txt"'),
    'agent = "top"\n[[cases]]\nname = "one"',
    'agent = "top"\n[[cases]]\nprompt = "x"',
    'agent = "top"\ncases = 1',
    'agent = "top"',
    ...['contains', 'matches', 'schema', 'file', 'calls', 'not_calls', 'function', 'judge'].map((key) =>
      expecting(`${key} = 1`),
    ),
    ...[
      'contains = " "',
      'matches = "("',
      'turns_at_most = 0',
      'usd_at_most = -1',
      'seconds_at_most = -1',
    ].map(expecting),
    ...[
      'calls = "x", at_most = -1',
      'calls = "x", at_least = -1',
      'at_most = 1',
      'contains = "x", at_most = 1',
    ].map(expecting),
    ...[
      'calls = "x", judge = "y"',
      'file = "x", schema = "y"',
      'judge = "x", at_most = 1',
      'judge = "x"',
    ].map(expecting),
  ];
  await expectTold('evaluation', texts, async (text) => {
    const cwd = await tempFolder({ 'e.toml': text });
    return (await failing(async () => readEvaluation('e.toml', cwd))).replaceAll(cwd, 'ROOT');
  });
});

test('rules for commands say how any command gets out of them', async () => {
  const programs = `xargs awk 7z bat find fd rg ack sed tar sort curl nc npm docker make eslint git`.split(
    ' ',
  );
  const harmless = ['npm ls', 'npm outdated', 'pnpm why', 'yarn info', 'docker logs', 'kubectl describe'];
  const git = ['git', 'git -c', 'git diff', 'git stash', 'git fetch', 'git add', 'git tag', 'git blame'];
  const texts = [
    ...programs.flatMap((program) => [`${program} *`, `${program.slice(0, -1)}*`]),
    ...harmless.map((line) => `${line} *`),
    ...git.map((line) => `${line} *`),
    '*',
    ' * x',
    'A=1 *',
    'A=* x',
    '/bin/sed x*',
    'A=1 /bin/sed *',
    'docker run *',
    'ls',
    'ls *',
  ];
  await expectTold('commands', texts, (text) => wayOutOf(`run_command(${text})`) ?? 'nothing');
});

test('agents are checked for what has no effect, and for what is missing', async () => {
  const lines = [
    '[params]\nservice = "batch"',
    '[params]\nservice = "flex"',
    '[params]\nservice = "priority"',
    'model = "bedrock/x"\n[params]\nservice = "batch"',
    'model = "bedrock/x"\n[params]\nservice = "flex"',
    'model = "anthropic/x"\n[params]\nservice = "priority"',
    'model = "anthropic/x"\n[params]\nservice = "batch"\n[guardrail]\nid = "g"\nversion = "1"',
    'tools = ["web_search"]',
    'tools = ["run_command"]\n[permissions]\nallow = ["run_command(git *)"]',
    'tools = ["run_command"]\n[sandbox]\nkind = "isolated"\nnetwork = true',
    'tools = ["write_file"]\n[permissions]\nmode = "plan"',
    '[permissions]\nallow = ["write_file"]\ndeny = ["read_file"]',
    '[permissions]\nallow = ["nothing"]',
    'tools = ["call_agent"]',
    'sub_agents = ["other"]\n[permissions]\ndeny = ["call_agent"]',
    'sub_agents = ["othr"]',
    'files = ["missing.md"]',
    'files = ["/etc/hosts"]',
    'skill = "missing"',
    'skills = ["missing"]',
    'workdir = "missing"',
    'workdir = "../elsewhere"',
    'output_schema = "missing.json"',
    '[[functions]]\nname = "f"\ndescription = "d"\nmodule = "missing.ts"',
    '[[functions]]\nname = "f"\ndescription = "d"\nfunction = "deployed"',
    '[[mcp_servers]]\nname = "m"\nurl = "https://m.example"\nheaders = { A = "${MISSING}" }',
    '[[mcp_servers]]\nname = "m"\nurl = "http://m.example"\nauth = "oauth"',
    '[[mcp_servers]]\nname = "m"\ncommand = "missing-program"',
    '[[mcp_servers]]\nname = "m"\nurl = "https://m.example"\nauth = "oauth"\n[schedule]\ncron = "0 7 ? * * *"\nprompt = "x"',
    '[memory]\nsearch = true\nembedding = "openai/e"',
    '[[remote_agents]]\nname = "r"\nurl = "http://r.example"',
    'fallback_models = ["nobody/x"]',
    'model = "nobody/x"',
    'model = "x"',
    '[budget]\nmax_usd = 1\n[params]\nmax_tokens = 10',
    'model = "unpriced/x"\n[budget]\nmax_usd = 1',
  ];
  await expectTold('agents', lines, async (line) => {
    const model = line.startsWith('model') ? '' : 'model = "openai/gpt-5.1"\n';
    const cwd = await tempFolder({
      'agents/a.toml': `name = "a"\n${model}${line}\n`,
      'agents/other.toml': 'name = "other"\nmodel = "offline/extractive"\n',
    });
    const io = recordedIo(cwd, { env: {} });
    const code = await failing(async () => checkAgents(['a'], {}, io));
    return `${code === 'nothing' ? '' : `${code}\n`}${io.err}${io.out}`
      .trimEnd()
      .replaceAll(cwd, 'ROOT')
      .replaceAll(dirname(cwd), 'BESIDE');
  });
});

import { execFileSync } from 'node:child_process';
import { truncate } from 'node:fs/promises';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runAgent, type RunCommandOptions } from '../../../src/doors/cli/commands/run.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { contentOf } from '../../fixtures/folder-content.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const BUDGET = '[budget]\nmax_tokens = 9000\n';

async function dryRun(agent: string, options: RunCommandOptions = {}, stdin = '') {
  const io = recordedIo(await tempFolder({ 'agents/top.toml': `name = "top"\n${agent}` }), { stdin });
  const code = await runAgent('top', { prompt: 'go', dryRun: true, ...options }, io);
  const [, settings = ''] = io.out.split('\n\n');
  const lines = settings.split('\n').filter((line) => /^(Params|Budget): /.test(line));
  return { code, err: io.err, out: io.out, lines };
}

test.each([
  ['as long as answers may be', {}, 4096],
  ['as its budget leaves', { maxTokens: 300 }, 213],
])('a dry run shows the length of the answer that is really asked for: %s', async (_, options, maxTokens) => {
  const server = await startModelServer(() => ({ status: 400, body: { error: { message: 'no' } } }));
  onTestFinished(() => server.close());
  const agent = `model = "openai/gpt-4o"\nsystem_prompt = "You are o."\n${BUDGET}`;
  const { lines } = await dryRun(agent, { ...options, prompt: 'hi' });
  expect(lines).toEqual([`Params:   temperature=not sent, max_tokens=${maxTokens}`]);
  const env = { CADRE_OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'a-key' };
  const io = recordedIo(await tempFolder({ 'agents/top.toml': `name = "top"\n${agent}` }), { env });
  await runAgent('top', { ...options, prompt: 'hi' }, io);
  expect(server.requests.map(({ body }) => body)).toEqual([
    expect.objectContaining({ max_tokens: maxTokens }),
  ]);
});

test('a dry run says what the length of the answer depends on', async () => {
  const server = '[[mcp_servers]]\nname = "docs"\nurl = "https://docs.example.com/mcp"\n';
  const ofBudget = async (budget: string) =>
    (await dryRun(`model = "anthropic/claude-sonnet-4-5"\n${server}${budget}`)).lines;
  const less = [
    'Params:   temperature=not sent, max_tokens=4096',
    'Budget:   max_tokens may be less: the tools that servers offer are part of the prompt',
  ];
  expect([await ofBudget(BUDGET), await ofBudget('[budget]\nmax_usd = 1\n'), await ofBudget('')]).toEqual([
    less,
    less,
    ['Params:   temperature=not sent, max_tokens=4096'],
  ]);
  const { lines } = await dryRun(
    `model = "anthropic/claude-sonnet-4-5"\n${BUDGET}`,
    {},
    'lake '.repeat(1_400),
  );
  expect(lines).toEqual([
    expect.stringMatching(/^Params: {3}temperature=not sent, max_tokens=\d{3,4}$/),
    'Budget:   max_tokens may be more: anthropic counts the prompt first, here it is estimated',
  ]);
});

test('a dry run says that nothing would be sent where the budget has no room for it', async () => {
  const { code, lines } = await dryRun(`model = "openai/gpt-4o"\n${BUDGET}`, { maxTokens: 40 });
  expect([code, ...lines]).toEqual([
    0,
    'Params:   temperature=not sent, max_tokens=not sent',
    expect.stringMatching(
      /^Budget: {3}nothing would be sent: budget exceeded: used 0 of 40 tokens, 40 left; the next call could cost up to 41\d\d$/,
    ),
  ]);
});

test('a dry run shows a prompt of any length, and the parameters of tools', async () => {
  const long = 'lake '.repeat(100_000);
  const { out, err } = await dryRun('model = "openai/gpt-4o"\ntools = ["read_file"]\n', {}, long);
  expect(err).toBe('');
  expect(out).toContain(`\n\n--- User Message ---\ngo\n\nContext:\n${long.trimEnd()}`);
  expect(out).toContain('\n  path (string, required): Path of the file, relative to the working directory\n');
});

test('a dry run shows all that would be started or called, and starts, opens and touches nothing', async () => {
  const keys = 'model = "offline/extractive"\n[memory]\nenabled = true\n';
  const far =
    '[[functions]]\nname = "far"\ndescription = "x"\nfunction = "arn:aws:lambda:eu-west-1:123456789012:function:far"\n';
  const files = {
    'agents/top.toml': `name = "top"\nsub_agents = ["kid"]\n${keys}${far}
[[functions]]
name = "look_up"
description = "x"
file = "tools/look up.ts"
env = { TOKEN = "Bearer \${SHOP_TOKEN}", TABLE = "articles" }
`,
    'agents/kid.toml': `name = "kid"\nsub_agents = ["top"]\n${keys}${far}
[[mcp_servers]]
name = "files"
command = "sh"
args = ["-c", "touch started"]
cwd = "sub"
env = { KEY = "\${ACME_KEY}" }
[[mcp_servers]]
name = "docs"
url = "https://docs.example.com/mcp"
headers = { authorization = "Bearer \${ACME_KEY}" }
[[hooks]]
on = "before_answer"
file = "hooks/check.ts"
`,
    'hooks/check.ts': "import '/dev/zero'; export const handler = () => 1;",
    'tools/look up.ts': "import './pipe.ts'; import '/dev/zero'; export const handler = () => 1;",
  };
  const cwd = await tempFolder(files);
  execFileSync('mkfifo', [join(cwd, 'tools/pipe.ts')]);
  const env = { CADRE_TRUST: '', SHOP_TOKEN: 'a', ACME_KEY: 'b' };
  const dry = async () => {
    const io = recordedIo(cwd, { env });
    return [await runAgent('top', { prompt: 'go', dryRun: true }, io), io.out] as const;
  };
  const [code, out] = await dry();
  expect([code, ...readdirSync(cwd)]).toEqual([0, 'agents', 'hooks', 'tools']);
  expect(/--- Servers and Functions[^]*?\n\n/.exec(out)?.[0].trim().split('\n')).toEqual([
    '--- Servers and Functions (not started or asked) ---',
    'function "far": Lambda function arn:aws:lambda:eu-west-1:123456789012:function:far',
    'function "look_up": module \'tools/look up.ts\' (with TOKEN from ${SHOP_TOKEN}, TABLE)',
    'server "files": sh -c \'touch started\' in sub (with KEY from ${ACME_KEY})',
    'server "docs": https://docs.example.com/mcp (with authorization from ${ACME_KEY})',
    'hook "hooks/check.ts": module hooks/check.ts',
  ]);
  // What is remembered is shown, and the store is not opened for it, which would write to it.
  const store = await openLocalStore(cwd);
  await store.memories.append('top', 'r', { at: '2026-01-01T00:00:00Z', task: 'old', result: 'remembered' });
  await store.close();
  const before = await untouched(cwd);
  const [, remembering] = await dry();
  expect(remembering).toContain('remembered');
  expect(await untouched(cwd)).toEqual(before);
});

/** Each file of a folder with its content, and when it was changed last. */
async function untouched(folder: string) {
  const times = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return [
    await contentOf(join(folder, 'agents')),
    await contentOf(join(folder, '.cadre')),
    times.map((path) => [path, lstatSync(join(folder, path), { bigint: true }).mtimeNs]),
  ];
}

test('a dry run quotes no file that a link among the agents leads to, out of the project', async () => {
  const folder = await tempFolder({
    npmrc: '//registry.example.com/:_authToken=secret\n',
    'project/near.toml': 'a = secret\n',
    'project/agents/top.toml': 'name = "top"\nmodel = "offline/extractive"\nsub_agents = ["far", "near"]\n',
    'project/agents/far.toml': { linkTo: '../../npmrc' },
    'project/agents/near.toml': { linkTo: '../near.toml' },
  });
  const io = recordedIo(join(folder, 'project'));
  expect(await runAgent('top', { prompt: 'go', dryRun: true }, io)).toBe(0);
  const failed = (name: string) => `failed to parse agent config "${name}": agents/${name}.toml`;
  expect(io.err.split('\n')).toEqual([
    `Warning: agents/top.toml:3:15: ${failed('far')}:1:1: illegal character in key`,
    `Warning: agents/top.toml:3:22: ${failed('near')}:1:5: invalid value (texts stand in quotes: "…"), at "secret"`,
    '',
  ]);
});

test('a dry run copies no store that is nothing but holes', async () => {
  const agent = 'name = "top"\nmodel = "offline/extractive"\n[memory]\nenabled = true\n';
  const cwd = await tempFolder({ 'agents/top.toml': agent, '.cadre/store/store.mdb': '' });
  await truncate(join(cwd, '.cadre/store/store.mdb'), 2 ** 31);
  await expect(runAgent('top', { prompt: 'go', dryRun: true }, recordedIo(cwd))).rejects.toThrow(
    '.cadre/store/store.mdb is damaged or not a store: it has 2147483648 bytes, nearly all of them holes',
  );
});

test('a dry run shows an address as it is requested where it has characters that nobody sees', async () => {
  const url = String.raw`https://h.example/\u202e\nserver \"docs\": https://docs.example.com/`;
  const { out } = await dryRun(
    `model = "offline/extractive"\n[[remote_agents]]\nname = "far"\nurl = "${url}"\n`,
  );
  expect(/--- Servers and Functions[^]*?\n\n/.exec(out)?.[0].trim().split('\n').slice(1)).toEqual([
    'remote agent "far": https://h.example/%E2%80%AEserver%20%22docs%22:%20https://docs.example.com/',
  ]);
});

import { expect, onTestFinished, test } from 'vitest';
import { checkAgents } from '../../src/doors/cli/commands/check-agents.ts';
import { showRun } from '../../src/doors/cli/commands/show.ts';
import { EXIT } from '../../src/doors/cli/terminal/exit-code.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { openStage } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

const CONFIG = '[web_search]\nprovider = "model"\n';

const agent = (rest: string, model = 'anthropic/claude-sonnet-4-5') =>
  `name = "top"\nmodel = "${model}"\ntools = ["web_search"]\n${rest}`;

/** A run of an agent whose model searches twice and cites a page. @param files beside its own */
async function search(file: string, files: Record<string, string> = {}) {
  const citation = {
    type: 'web_search_result_location',
    cited_text: 'x',
    encrypted_index: 'x',
    title: 'Ferries \u001b[31m',
    url: 'https://ferry.example/times',
  };
  const body = {
    content: [{ type: 'text', text: 'At nine.', citations: [citation] }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } },
  };
  const { url, requests, close } = await startModelServer(() => ({ body }));
  onTestFinished(close);
  const provider = `[providers.anthropic]\napi_key = "k"\nbase_url = "${url}"\n`;
  const stage = await openStage(
    {},
    {},
    { 'agents/top.toml': file, 'no-config/cadre/config.toml': provider + CONFIG, ...files },
  );
  return { stage, requests, ...(await stage.run()) };
}

test('the provider of a model searches, which is charged, and what the answer cites is shown', async () => {
  const { stage, requests, run, out } = await search(agent('[budget]\nmax_usd = 1\n'));
  expect(out).toBe('At nine.');
  expect(requests[0]?.body).toMatchObject({
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }],
  });
  // $3 and $15 for a million tokens, and $0.01 for each search.
  const nanoUsd = 1000 * 3_000 + 100 * 15_000 + 2 * 10_000_000;
  expect(run.usage?.nanoUsd).toBe(nanoUsd);
  expect((await stage.pipeline.store.ledger(run.id))?.used.nanoUsd).toBe(nanoUsd);
  const io = { ...recordedIo(stage.cwd), user: 'ann' };
  const shown: string[] = [];
  const print = { ...io, stdout: (text: string) => void shown.push(text) };
  await showRun(run.id, stage.environment, { json: false, messages: true }, print);
  expect(shown.join('')).toContain(
    '--- assistant ---\nAt nine.\nSources:\nFerries \ufffd[31m, https://ferry.example/times\n',
  );
});

test('a budget has to hold what the searches may cost', async () => {
  const { run, requests } = await search(agent('[params]\nmax_tokens = 100\n[budget]\nmax_usd = 0.05\n'));
  const paths = requests.map(({ path }) => path);
  expect([run.status, paths]).toEqual(['budget_exceeded', ['/v1/messages/count_tokens']]);
});

const NO_OWN =
  'the provider of "ollama/qwen3" has no web_search of its own: anthropic and openai have; set another provider under [web_search], or leave the tool out';
const WITHOUT_ASKING = "the model's provider searches without asking";

test.each([
  [agent('', 'ollama/qwen3'), NO_OWN],
  [
    agent('[params]\napi = "chat"\n', 'openai/gpt-5.1'),
    'web_search by the model works with api = "responses" only',
  ],
  [
    agent('[permissions]\nask = ["web_search"]\n'),
    `the rule "web_search" cannot hold: ${WITHOUT_ASKING}; leave web_search out, or set another provider under [web_search]`,
  ],
  [
    agent('[permissions]\ndeny = ["web_*(*secret*)"]\n'),
    `the rule "web_*(*secret*)" cannot hold: ${WITHOUT_ASKING}; leave web_search out, or set another provider under [web_search]`,
  ],
  [
    agent('[[hooks]]\non = "before_call"\nfile = "hook.mjs"\n'),
    `a hook about calls cannot see web_search: ${WITHOUT_ASKING}; name its tools, or set another provider under [web_search]`,
  ],
])('what a provider cannot be held to is refused, by a check and by a run: %#', async (file, reason) => {
  const files = {
    'agents/top.toml': file,
    'hook.mjs': 'export default () => ({})',
    'no-config/cadre/config.toml': CONFIG,
  };
  const io = recordedIo(await tempFolder(files));
  expect(await checkAgents([], {}, io)).toBe(EXIT.configuration);
  expect(io.err).toContain(`Error: agents/top.toml:3:10: ${reason}\n`);
  const { run, requests } = await search(file);
  expect([run.status, run.failure?.message, requests]).toEqual(['failed', reason, []]);
});

test('a skill whose tools lack it is refused', async () => {
  const skill = '---\nname: s\ndescription: d\nallowed-tools: read_file\n---\n\nDo it.\n';
  const { run } = await search(agent('skills = ["s"]\n'), { 'skills/s/SKILL.md': skill });
  expect(run.failure?.message).toBe(
    'the skill "s" does not allow web_search, which cannot be refused where the model\'s provider searches; leave one of them out',
  );
});

test('a rule that takes the tool away does, and a model of the caller is looked at', async () => {
  const { run, requests } = await search(agent('[permissions]\ndeny = ["web_search"]\n'));
  expect([run.status, requests[0]?.body]).toEqual([
    'succeeded',
    expect.not.objectContaining({ tools: expect.anything() }),
  ]);
  const { stage } = await search(agent(''));
  const other = await stage.run({ overrides: { model: 'ollama/qwen3' } });
  expect(other.run.failure?.message).toBe(NO_OWN);
});

test("a sub-agent searches by its caller's provider, and by no other that cannot", async () => {
  const use = (id: string, input: object) => ({ type: 'tool_use', id, name: 'sub_agent', input });
  const content = [use('a', { prompt: 'x', model: 'ollama/qwen3' }), use('b', { prompt: 'y' })];
  const { url, requests, close } = await startModelServer(({ body }) =>
    JSON.stringify(body).includes('"text":"go"') && !JSON.stringify(body).includes('tool_result')
      ? { body: { content, stop_reason: 'tool_use' } }
      : { body: { content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' } },
  );
  onTestFinished(close);
  const provider = `[providers.anthropic]\napi_key = "k"\nbase_url = "${url}"\n`;
  const file = agent('models = ["ollama/qwen3"]\n').replace('"web_search"', '"web_search", "sub_agent"');
  const files = { 'agents/top.toml': file, 'no-config/cadre/config.toml': provider + CONFIG };
  const stage = await openStage({}, {}, files);
  const { run, tree } = await stage.run();
  expect(run.status).toBe('succeeded');
  expect(tree.slice(1).map(({ status, failure }) => [status, failure?.message])).toEqual([
    ['failed', NO_OWN],
    ['succeeded', undefined],
  ]);
  expect(requests.find(({ body }) => JSON.stringify(body).includes('"text":"y"'))?.body).toMatchObject({
    tools: expect.arrayContaining([
      expect.objectContaining({ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }),
    ]),
  });
});

import { expect, onTestFinished, test } from 'vitest';
import { runAgent, type RunCommandOptions } from '../../../src/doors/cli/commands/run.ts';
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
  expect((await dryRun(`model = "anthropic/claude-sonnet-4-5"\n${server}${BUDGET}`)).lines).toEqual([
    'Params:   temperature=not sent, max_tokens=4096',
    'Budget:   max_tokens may be less: the tools that servers offer are part of the prompt',
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

import { expect, test } from 'vitest';
import { accessTo } from '../../../src/doors/api/local-access.ts';
import { servedText } from '../../../src/doors/cli/terminal/served-text.ts';
import { serve } from '../../../src/doors/cli/commands/serve.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed, typedServer } from '../../fixtures/typed.ts';

test.each([
  ['serve', '/', 200],
  ['states', '/', 400],
])('%s listens on any free port where it is given 0', async (name, path, status) => {
  const { url } = await typedServer([name, '--port', '0'], await tempFolder());
  expect((await fetch(url + path)).status).toBe(status);
});

test('serve opens with what it serves, and where', async () => {
  const agent = (name: string, more = '') => `name = "${name}"\nmodel = "offline/extractive"\n${more}`;
  const { err } = await typedServer(
    ['serve', '--port', '0'],
    await tempFolder({
      'agents/daily.toml': agent('daily', '[schedule]\ncron = "0 6 * * ? *"\n'),
      'agents/ok.toml': agent('ok'),
    }),
  );
  expect(err.replaceAll(/:\d{4,5}\b/g, ':PORT')).toBe(`Serving this folder on http://127.0.0.1:PORT:
  page       http://127.0.0.1:PORT/
  HTTP API   http://127.0.0.1:PORT/openapi.json
  MCP        http://127.0.0.1:PORT/mcp
  OpenAI     http://127.0.0.1:PORT/v1
  AG-UI      http://127.0.0.1:PORT/agents/<agent>/ag-ui
  A2A        http://127.0.0.1:PORT/a2a/<agent>
  schedules  daily
stop with Ctrl-C
`);
});

test('serve tells of agents that it refuses, and of odd names, once each', async () => {
  const served = await typedServer(
    ['serve', '--port', '0'],
    await tempFolder({
      'agents/a.toml':
        'name = "a"\nmodel = "offline/extractive"\n[budget]\nmax_usdd = 1\n[schedule]\nrate = "1 day"\n',
      'agents/b.toml': 'name = "c"\nmodel = "offline/extractive"\n',
      'agents/m.toml': 'name = "m"\nmodel = "anthropc/claude-sonnet-4-5"\n',
    }),
  );
  const reason = 'unknown key "budget.max_usdd", did you mean "budget.max_usd"?';
  expect(await (await fetch(`${served.url}/agents`)).json()).toMatchObject({
    agents: [{ name: 'b' }, { name: 'm' }],
    faults: [{ agent: 'a', detail: `a.toml:4:1: ${reason}` }],
  });
  const start = { method: 'POST', body: '{"prompt":"x"}', headers: { 'content-type': 'application/json' } };
  const refused = await fetch(`${served.url}/agents/a/runs`, start);
  const modelless = await fetch(`${served.url}/agents/m/runs`, start);
  expect([modelless.status, await modelless.json()]).toMatchObject([
    422,
    { detail: expect.stringMatching(/^m\.toml:2:9: unsupported provider "anthropc": .*"anthropic"\?$/) },
  ]);
  expect([refused.status, await refused.json()]).toMatchObject([422, { detail: `a.toml:4:1: ${reason}` }]);
  await served.stop();
  expect(
    served.err
      .split('\n')
      .filter((line) => line.startsWith('Warning: '))
      .sort(),
  ).toEqual([
    'Warning: agents/a.toml:4:1: unknown key "budget.max_usdd", did you mean "budget.max_usd"?',
    'Warning: agents/b.toml:1:8: name "c" is not the name of the file, the agent runs as "b"',
  ]);
});

test.each([
  ['a new token is a part of the address', { isTokenNew: true, isRead: true }, '#token=secret'],
  ['a log has the token in its own line only', { isTokenNew: true, isRead: false }, ''],
  ['a token that its owner set is not repeated', { isTokenNew: false, isRead: true }, ''],
])('%s', async (_, { isTokenNew, isRead }, fragment) => {
  const access = { ...(await accessTo('127.0.0.1', undefined)), token: 'secret', isTokenNew };
  const lines = servedText({
    what: 'this folder',
    url: 'http://127.0.0.1:8080',
    access,
    isRead,
    doors: [['page', '/']],
  });
  expect(lines).toEqual([
    ...(isTokenNew ? ['Token, created for this start (set CADRE_TOKEN to use your own): secret'] : []),
    'Serving this folder on http://127.0.0.1:8080, to clients that have the token:',
    `  page       http://127.0.0.1:8080/${fragment}`,
    'stop with Ctrl-C',
  ]);
});

test.each([
  ['serve', '99999'],
  ['states', '65536'],
  ['serve', 'http'],
  ['serve', '-1'],
])('%s refuses %s as a port', async (name, port) => {
  const { code, err } = await typed([name, `--port=${port}`], await tempFolder());
  expect(code).toBe(2);
  expect(err).toContain(
    `Error: option '--port <number>' argument '${port}' is invalid. It must be a whole number from 0 (any free port) to 65535\n`,
  );
});

test('serve fails where the folder of --agents-dir cannot be read', async () => {
  const io = recordedIo(await tempFolder());
  const serving = serve({ host: '127.0.0.1', port: 0, agentsDir: 'nowhere', resume: true }, io);
  await expect(serving).rejects.toThrow('failed to read agents folder nowhere: ');
});

import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { accessTo } from '../../../src/doors/api/local-access.ts';
import { startLocalServer } from '../../../src/doors/api/local-server.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import project from '../../../package.json' with { type: 'json' };
import { Link } from '../../../src/doors/api/answers.ts';
import { call, latch, silence } from '../../fixtures/stage.ts';
import { problem, serveAgents, wallClock } from './served-agents.ts';

const TOKEN = 'a-token-of-our-own';
const LinkedResult = v.object({ content_link: Link });

/** `fetch` sets these headers itself. */
function send(url: string, method: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const asking = request(url, { method, headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
    asking.on('error', reject).end();
  });
}

async function statusOf(...asking: Parameters<typeof send>): Promise<number | undefined> {
  return (await send(...asking)).status;
}

test('pages of other sites are refused, and nothing starts', async () => {
  const { server, stage } = await serveAgents({ top: () => '' });
  const { port, host } = new URL(server.url);
  const refused: Record<string, string>[] = [
    { host: 'evil.example' },
    { host: `evil.example:${port}` },
    { host: '127.0.0.1:1' },
    { host: `127.0.0.1.evil.example:${port}` },
    { host, origin: 'http://evil.example' },
    { host, origin: 'null' },
    { host, origin: 'http://127.0.0.1:1' },
    { host, origin: `https://${host}` },
    { host, 'sec-fetch-site': 'cross-site' },
    { host, 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of refused) {
    expect(await statusOf(`${server.url}/agents/top/runs`, 'POST', headers)).toBe(403);
    expect(await statusOf(`${server.url}/agents`, 'GET', headers)).toBe(403);
    expect(await statusOf(`${server.url}/answers/x`, 'GET', headers)).toBe(403);
  }
  expect(stage.asked).toEqual([]);
  const accepted: Record<string, string>[] = [
    { host },
    { host: `localhost:${port}` },
    { host, origin: `http://${host}` },
    { host: `localhost:${port}`, origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' },
    { host, 'sec-fetch-site': 'none' },
  ];
  for (const headers of accepted) {
    expect(await statusOf(`${server.url}/agents`, 'GET', headers)).toBe(200);
  }
});

test('a fault of the server is logged under the id that the client gets, and told to no one else', async () => {
  const { get, stage, told } = await serveAgents({ top: () => '' });
  await rm(`${stage.cwd}/agents`, { recursive: true });
  await writeFile(`${stage.cwd}/agents`, '');
  const { status, body } = await get('/agents');
  expect(status).toBe(500);
  expect(body).toEqual({
    type: 'about:blank',
    title: 'Internal Server Error',
    status: 500,
    detail: 'the request failed; the log has the details under this id',
    id: expect.any(String),
  });
  expect(told).toEqual([
    expect.stringMatching(
      /^Error: [0-9a-f-]{36}: GET \/agents: ConfigError: failed to read agents folder agents: /,
    ),
  ]);
  expect(told[0]).toContain(String(body['id']));
});

test('each request is logged in one line, without its query', async () => {
  const { get, post, requests } = await serveAgents({ top: () => '' });
  await get('/runs?limit=7&text=hush');
  await post('/agents/none/runs', { json: { prompt: 'hush' } });
  await get('/agents/%1b%5b31m');
  expect(requests.map((line) => line.replace(/ \d+ ms$/, '').replace(/^\d{4}-[-:.\dT]+Z /, ''))).toEqual([
    'GET /runs 200',
    'POST /agents/none/runs 404',
    'GET /agents/%1b%5b31m 404',
  ]);
});

test('a run that fails is reported, and a sub-agent that fails is left to its parent', async () => {
  const { post, told } = await serveAgents(
    {
      top: ({ turn }) => {
        if (turn === 1) return [call('kid', 'x')];
        throw new Error('the model is on fire');
      },
      kid: () => Promise.reject(new Error('kid is ill')),
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const { body } = await post('/agents/top/runs?wait=25');
  expect(told).toEqual([
    expect.stringMatching(new RegExp(`^Error: run ${String(body['run_id'])} failed: .*the model is on fire`)),
  ]);
});

test.each([
  ['waits for an answer', 25, { 'content-length': '0' }, '/agents/top/runs?wait=25'],
  ...['/agents/top/runs', '/agents/top/ag-ui', '/a2a/top', '/mcp', '/v1/chat/completions'].map(
    (path) =>
      ['is still sending', 0, { 'content-length': '100', 'content-type': 'application/json' }, path] as const,
  ),
] as const)(
  'a client that hangs up while it %s is no fault of the server',
  async (_, wait, headers, path) => {
    const atWork = latch();
    const { server, requests, told } = await serveAgents({
      top: (asked) => {
        atWork.open();
        return silence(asked);
      },
    });
    const asking = request(server.url + path, { method: 'POST', headers });
    asking.on('error', () => {}); // it is hung up
    if (wait > 0) asking.end();
    else asking.write('{', () => atWork.open());
    await atWork.opened;
    asking.destroy();
    await expect
      .poll(() => requests)
      .toEqual([expect.stringMatching(/ POST \S+ closed by the client \d+ ms$/)]);
    expect(told).toEqual([]);
  },
);

test.each([
  ['of an announced length', { 'content-length': 1_100_000 }],
  ['in chunks', {}],
])('a body that is too long, %s, ends its connection and no later request', async (_, headers) => {
  const { server } = await serveAgents({ top: () => 'so' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (path: string, body: string) => {
    const type = { 'content-type': 'application/json' };
    const asking = request(server.url + path, { method: 'POST', agent, headers: { ...type, ...headers } });
    asking.end(body);
    const [answer]: IncomingMessage[] = await once(asking, 'response');
    await once(answer?.resume() ?? asking, 'end');
    return [answer?.statusCode, answer?.headers.connection];
  };
  expect(await ask('/agents/top/runs', 'x'.repeat(1_100_000))).toEqual([413, 'close']);
  expect(await ask('/v1/chat/completions', 'x'.repeat(1_100_000))).toEqual([413, 'close']);
});

test('the health of the server is told without a token', async () => {
  const { get } = await serveAgents({}, {}, {}, wallClock, { token: TOKEN });
  expect(await get('/health')).toMatchObject({ status: 200, body: { ok: true, version: project.version } });
});

test.each([
  ['127.0.0.1', TOKEN],
  ['0.0.0.0', TOKEN],
  ['0.0.0.0', undefined],
])('a server on %s with the token %s answers no other client', async (host, token) => {
  const { ask, stage } = await serveAgents({ top: () => 'ok' }, {}, {}, wallClock, {
    host,
    ...(token !== undefined && { token }),
  });
  const refused = [
    {},
    ...['x', TOKEN, `Basic ${TOKEN}`, 'Bearer', 'Bearer x', `Bearer ${TOKEN}x`].map((authorization) => ({
      authorization,
    })),
  ];
  for (const headers of refused) {
    const { status, headers: answered, body } = await ask('POST', '/agents/top/runs', { headers });
    expect([status, answered.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(body).toEqual(
      problem(401, 'Unauthorized', 'send the token of this server: Authorization: Bearer <token>'),
    );
    expect((await ask('GET', '/answers/x', { headers })).status).toBe(401);
    expect((await ask('GET', '/nowhere', { headers })).status).toBe(401);
  }
  expect(stage.asked).toEqual([]);
  const authorization = `Bearer ${TOKEN}`;
  const asked = await ask('POST', '/agents/top/runs?wait=25', { headers: { authorization } });
  expect(asked.status).toBe(token === undefined ? 401 : 200);
});

test('a server beyond loopback may be called by any name of its machine, and links lead to the same name', async () => {
  const { server } = await serveAgents({ top: () => 'x'.repeat(2 ** 20) }, {}, {}, wallClock, {
    host: '0.0.0.0',
    token: TOKEN,
  });
  const { port } = new URL(server.url);
  const headers = { host: `build.example:${port}`, authorization: `Bearer ${TOKEN}` };
  const { status, body } = await send(`${server.url}/agents/top/runs?wait=25`, 'POST', headers);
  expect(status).toBe(200);
  const { url } = v.parse(LinkedResult, JSON.parse(body)).content_link;
  expect(url).toMatch(new RegExp(`^http://build\\.example:${port}/answers/`));
  const link = url.replace('build.example', '127.0.0.1');
  expect(await send(link, 'GET', headers)).toEqual({ status: 200, body: 'x'.repeat(2 ** 20) });
  expect((await send(link, 'GET', { host: headers.host })).status).toBe(401);
});

test.each([
  ['127.0.0.1', { address: '127.0.0.1', host: '127.0.0.1', names: ['127.0.0.1', 'localhost'] }],
  ['127.1.2.3', { address: '127.1.2.3', host: '127.1.2.3', names: ['127.1.2.3', 'localhost'] }],
  ['::1', { address: '::1', host: '[::1]', names: ['[::1]', 'localhost'] }],
])('a server on %s needs no token, and none is asked for', async (host, expected) => {
  expect(await accessTo(host, undefined)).toEqual({ ...expected, token: undefined, isTokenNew: false });
  expect(await accessTo(host, TOKEN)).toEqual({ ...expected, token: TOKEN, isTokenNew: false });
});

test.each(['0.0.0.0', '::', '10.1.2.3', '::ffff:10.1.2.3', 'fe80::1'])(
  'a server on %s gets a token of its own at each start, unless it is given one',
  async (host) => {
    const made = await Promise.all([accessTo(host, undefined), accessTo(host, '')]);
    expect(made).toMatchObject(made.map(() => ({ names: undefined, isTokenNew: true })));
    const [one, other] = made.map(({ token }) => token ?? '');
    expect(one).toMatch(/^[\w-]{32}$/);
    expect(other).not.toBe(one);
    expect(await accessTo(host, TOKEN)).toMatchObject({ token: TOKEN, isTokenNew: false });
  },
);

test.each([
  ['127.0.0.1', 'short', 'CADRE_TOKEN must have at least 16 characters, all of them printable ASCII'],
  [
    '127.0.0.1',
    'with a space in it',
    'CADRE_TOKEN must have at least 16 characters, all of them printable ASCII',
  ],
  ['', TOKEN, 'cannot listen on host "": it is empty; choose another with --host'],
])('host %j with token %j is refused', async (host, token, message) => {
  await expect(accessTo(host, token)).rejects.toMatchObject({ name: 'ConfigError', message });
});

test('a port that is taken is told of', async () => {
  const { server, stage } = await serveAgents({});
  const port = Number(new URL(server.url).port);
  const source = openAgentFolders({ cwd: stage.cwd, env: {} });
  const starting = startLocalServer({
    folder: stage.environment,
    source,
    access: await accessTo('127.0.0.1', undefined),
    port,
    models: [],
    openings: openingsIn(stage.cwd),
    clock: wallClock,
    takesUp: true,
    tell: () => {},
  });
  await expect(starting).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}: the port is in use; choose another with --port or --host`,
  );
});

test('a server that cannot be noted in its folder listens no longer, which would keep its process from ending', async () => {
  const { server, stage } = await serveAgents({ top: () => '' });
  await server.close();
  const { local } = stage.environment;
  const serving = { ...local.serving, begin: () => Promise.reject(new Error('no space left')) };
  const starting = startLocalServer({
    folder: { ...stage.environment, local: { ...local, serving } },
    source: openAgentFolders({ cwd: stage.cwd, env: {} }),
    access: await accessTo('127.0.0.1', undefined),
    port: Number(new URL(server.url).port),
    models: [],
    openings: openingsIn(stage.cwd),
    clock: wallClock,
    takesUp: true,
    tell: () => {},
  });
  await expect(starting).rejects.toThrow('no space left');
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

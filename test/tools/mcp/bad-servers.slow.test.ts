import { seconds } from '../../../src/core/records/times.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { createListing } from '../../../src/tools/mcp/client/to-listing.ts';
import type { ServerCall } from '../../../src/core/tool-contracts/tool.ts';
import { bodyOf, serveOnLoopback } from '../../fixtures/loopback.ts';
import { openToolServers, startToolServer, toolServer } from '../../fixtures/tool-server.ts';

const UNKNOWN = 'It is not known whether this call took place: look before you make it again.';
const Rpc = v.object({ id: v.optional(v.union([v.number(), v.string()])), method: v.string() });
const TOOL = { name: 'do', description: 'd', inputSchema: { type: 'object' } };

function call(tool: string, isRepeatable = false, signal = AbortSignal.timeout(20_000)): ServerCall {
  return { tool, name: `mcp__docs__${tool}`, arguments: {}, owner: undefined, isRepeatable, signal };
}

/** What a server makes of a call: it has been greeted properly, and has listed one tool. */
type OnCall = (response: ServerResponse, id: number | string, times: number) => void;

/** A server of 2025 that is sound but for its calls. Counts them. */
async function startBadServer(onCall: OnCall, list = async (): Promise<object> => ({ tools: [TOOL] })) {
  const counted = { calls: 0, greetings: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, method } = v.parse(Rpc, JSON.parse((await bodyOf(request)).toString() || '{"method":""}'));
    const reply = (result: unknown) => sendJson(response, { jsonrpc: '2.0', id, result });
    if (id === undefined) response.writeHead(202).end();
    else if (method === 'initialize') {
      counted.greetings += 1;
      reply({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'bad', version: '1' },
      });
    } else if (method === 'tools/list') reply(await list());
    else if (method === 'tools/call') onCall(response, id, (counted.calls += 1));
    else sendJson(response, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'unknown method' } });
  };
  const { endpoint, close } = await serveOnLoopback((request, response) => void answer(request, response));
  onTestFinished(close);
  return { server: toolServer({ url: endpoint }, { timeout: seconds(10) }), counted };
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const result = (text: string) => ({ content: [{ type: 'text', text }] });

test.each<[string, OnCall, RegExp]>([
  [
    'drops the connection',
    (response) => response.destroy(),
    /failed - (other side closed|.*ECONNRESET|fetch failed)/,
  ],
  [
    'answers half, in one piece',
    (response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
        .write('{"jsonrpc":');
      setTimeout(() => response.destroy(), 20);
    },
    /failed - /,
  ],
  [
    'answers half, as a stream',
    (response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"jsonrpc"'),
    /failed - the answer broke off/,
  ],
  [
    'fails',
    (response) => void response.writeHead(500).end('<html>oops</html>'),
    /failed - HTTP 500 Internal Server Error/,
  ],
  [
    'answers what is no JSON',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{,'),
    /failed - its answer is not JSON/,
  ],
  [
    'answers 100 MB',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(2 ** 20, 'x');
      let left = 100;
      const more = () => {
        while (left > 0 && !response.destroyed) {
          left -= 1;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    },
    /failed - the answer is larger than 10 MB/,
  ],
])('a server that %s: the fate of the call is unknown, unless it may be repeated', async (_, onCall, why) => {
  const { server, counted } = await startBadServer(onCall);
  const servers = openToolServers();
  const once = await servers.call(server, call('do'));
  expect(once).toEqual({
    text: expect.stringMatching(why),
    isError: true,
    failure: 'outcome_unknown',
  });
  expect(once.text.endsWith(UNKNOWN)).toBe(true);
  expect(counted.calls).toBe(1);
  const twice = await servers.call(server, call('do', true));
  expect(twice).toEqual({ text: expect.stringMatching(why), isError: true, failure: 'fault' });
  expect(twice.text).not.toContain(UNKNOWN);
  expect(counted.calls).toBe(3);
});

test('a repeatable call is made once more on a new connection', async () => {
  const { server, counted } = await startBadServer((response, id, times) => {
    if (times === 1) response.destroy();
    else sendJson(response, { jsonrpc: '2.0', id, result: result('second time') });
  });
  const servers = openToolServers();
  expect(await servers.call(server, call('do', true))).toEqual({ text: 'second time' });
  expect(counted).toEqual({ calls: 2, greetings: 2 });
});

test('a result that is not as the protocol has it is told as that, and not asked for again', async () => {
  const { server, counted } = await startBadServer((response, id) =>
    sendJson(response, { jsonrpc: '2.0', id, result: { content: 'a text' } }),
  );
  const servers = openToolServers();
  expect(await servers.call(server, call('do', true))).toEqual({
    text: 'Error: mcp__docs__do failed - its answer does not follow the protocol',
    isError: true,
  });
  expect(counted.calls).toBe(1);
});

test('a call that is not answered ends with its signal', async () => {
  const stop = new AbortController();
  const { server } = await startBadServer(() => stop.abort(new Error('too late')));
  await expect(openToolServers().call(server, call('do', false, stop.signal))).rejects.toThrow('too late');
});

test('a server that never answers a greeting is given up', async () => {
  const { endpoint, close } = await serveOnLoopback(() => {});
  onTestFinished(close);
  await expect(
    openToolServers().list(toolServer({ url: endpoint }, { timeout: seconds(1) })),
  ).rejects.toThrow('server "docs" does not answer: it took too long');
});

test('a server that holds on to the note after its greeting is given up', async () => {
  const { endpoint, close } = await serveOnLoopback(async (request, response) => {
    const { id, method } = v.parse(Rpc, JSON.parse((await bodyOf(request)).toString()));
    const greeting = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'bad', version: '1' },
    };
    if (method === 'initialize') sendJson(response, { jsonrpc: '2.0', id, result: greeting });
    else if (id !== undefined) response.writeHead(404).end();
  });
  onTestFinished(close);
  await expect(
    openToolServers().list(toolServer({ url: endpoint }, { timeout: seconds(1) })),
  ).rejects.toThrow('server "docs" does not answer: it took too long');
});

test('a list without an end is given up', async () => {
  const { server } = await startBadServer(
    () => {},
    async () => {
      await delay(100);
      return { tools: [], nextCursor: 'more' };
    },
  );
  await expect(openToolServers().list({ ...server, timeout: seconds(1) })).rejects.toThrow(
    'server "docs" does not list its tools: it took too long',
  );
});

test('no part of a secret is told where a server repeats it, wherever the words are cut', async () => {
  const secrets = { SHORT: 'canary-1', LONG: 'canary-1-and-more' };
  const { endpoint, close } = await serveOnLoopback((_, response) => {
    response.writeHead(403).end(`${secrets.LONG} ${'x'.repeat(455)} ${secrets.LONG}`);
  });
  onTestFinished(close);
  const headers = { a: '${SHORT}', b: '${LONG}' };
  const server = toolServer({ url: endpoint }, { reach: { kind: 'url', url: endpoint, headers } });
  const list = openToolServers(secrets).list(server);
  await expect(list).rejects.toThrow('does not answer: HTTP 403 Forbidden: [secret] x');
  await expect(list).rejects.not.toThrow(/canary|and-more/);
});

test('a redirect to another place is not followed, and no header goes there', async () => {
  const arrived: string[] = [];
  const other = await serveOnLoopback((request, response) => {
    arrived.push(request.headers.authorization ?? 'none');
    response.end();
  });
  onTestFinished(other.close);
  const { endpoint, close } = await serveOnLoopback((_, response) => {
    response.writeHead(307, { location: other.endpoint }).end();
  });
  onTestFinished(close);
  const server = toolServer({ url: endpoint });
  server.reach = { kind: 'url', url: endpoint, headers: { Authorization: 'Bearer ${T}' } };
  await expect(openToolServers({ T: 'canary-secret' }).list(server)).rejects.toThrow(
    /^server "docs" does not answer: it redirects to another place, which is not followed \(HTTP 307\)$/,
  );
  expect(arrived).toEqual([]);
});

test('a server that was restarted is greeted again, and the call is made', async () => {
  const http = await startToolServer('sessions');
  const server = toolServer(http);
  const servers = openToolServers();
  await servers.list(server);
  http.forget();
  expect(await servers.call(server, { ...call('echo'), arguments: { word: 'again' } })).toEqual({
    text: 'echo: again',
  });
});

test('a command that ends in the middle of a call leaves it unknown, and is started again for the next', async () => {
  const server = toolServer({ args: [] });
  const servers = openToolServers();
  expect(await servers.call(server, call('die'))).toEqual({
    text: `Error: mcp__docs__die failed - the server has exited. ${UNKNOWN}`,
    isError: true,
    failure: 'outcome_unknown',
  });
  expect(await servers.call(server, { ...call('echo'), arguments: { word: 'x' } })).toEqual({
    text: 'echo: x',
  });
});

test('a command that is no server is told with what it says', async () => {
  const server = toolServer({ args: [] });
  server.reach = {
    kind: 'command',
    command: process.execPath,
    args: ['-e', 'console.error("no such \\x1b[31mmodule")'],
    env: {},
    cwd: '',
  };
  await expect(openToolServers().list(server)).rejects.toThrow(
    'server "docs" does not answer: the server has exited; it said: no such [31mmodule',
  );
});

test('a command that asks without end and reads no answer is ended', async () => {
  const server = toolServer({ args: [] });
  const floods = `
    import { createInterface } from 'node:readline';
    const say = (id, rest) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...rest }) + '\\n');
    const flood = () => {
      while (say('x'.repeat(10_000), { method: 'ping' }));
      process.stdout.once('drain', flood);
    };
    const lines = createInterface({ input: process.stdin });
    lines.on('line', (line) => {
      const { id, method, params = {} } = JSON.parse(line);
      const { protocolVersion } = params;
      if (method === 'tools/call') lines.close(), flood();
      else if (method === 'initialize')
        say(id, { result: { protocolVersion, capabilities: {}, serverInfo: { name: 'f', version: '1' } } });
      else if (id !== undefined) say(id, { error: { code: -32601, message: 'unknown method' } });
    });`;
  server.reach = {
    kind: 'command',
    command: process.execPath,
    args: ['--input-type=module', '-e', floods],
    env: {},
    cwd: '',
  };
  expect(await openToolServers().call(server, call('do'))).toEqual({
    text: `Error: mcp__docs__do failed - the server has exited. ${UNKNOWN}`,
    isError: true,
    failure: 'outcome_unknown',
  });
});

test('the first hundred of 10,000 tools are taken, and that is said', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ ...TOOL, name: `t${index}` }));
  const { server } = await startBadServer(
    () => {},
    () => Promise.resolve({ tools: many }),
  );
  const { tools, notes } = await openToolServers().list(server);
  expect(tools.map(({ name }) => name)).toEqual(many.slice(0, 100).map(({ name }) => name));
  expect(notes).toEqual([
    'server "docs" offers more than 100 tools, of which the first are taken: name those that are wanted in its tools',
  ]);
  const one = await openToolServers().list({ ...server, tools: ['t9999'] });
  expect(one.tools.map(({ name }) => name)).toEqual(['t9999']);
});

test('one tool that is described wrongly spoils no other', async () => {
  const odd: unknown[] = [
    TOOL,
    7,
    { name: 5 },
    { name: '' },
    { ...TOOL, name: 'no-schema', inputSchema: undefined },
    {
      ...TOOL,
      name: 'deep',
      inputSchema: JSON.parse('{"items":'.repeat(10_000) + '{}' + '}'.repeat(10_000)),
    },
  ];
  const listing = createListing(toolServer({ args: [] }), (text) => text);
  listing.add(odd);
  const { tools, notes } = listing.result();
  expect(tools.map(({ name }) => name)).toEqual(['do', 'no-schema']);
  expect(notes[0]).toBe('server "docs" describes 4 tools in a way that cannot be read: left out');
});

test('descriptions are cut, and hold nothing that moves a cursor or hides text', () => {
  const listing = createListing(toolServer({ args: [] }), (text) => text);
  listing.add([{ ...TOOL, description: `a\u0007b\u202ec\u{e0041}\n${'x'.repeat(2 ** 20)}` }]);
  const { tools, notes } = listing.result();
  expect(tools[0]?.definition.description).toMatch(/^abc\nx+… \[cut\]$/);
  expect(tools[0]?.definition.description.length).toBe(2_000);
  expect(notes).toEqual(['server "docs" has descriptions of more than 2000 characters, which are cut: do']);
});

test.each([2_000, 2_001, 2_006, 2_007])(
  'a description of %d characters never grows by being cut',
  (length) => {
    const listing = createListing(toolServer({ args: [] }), (text) => text);
    listing.add([{ ...TOOL, description: 'x'.repeat(length) }]);
    expect(listing.result().tools[0]?.definition.description.length).toBe(2_000);
  },
);

test('a tool that must be called as a task is not offered, and that is said', () => {
  const listing = createListing(toolServer({ args: [] }), (text) => text);
  const supports = (taskSupport: unknown) => ({
    ...TOOL,
    name: String(taskSupport),
    execution: { taskSupport },
  });
  listing.add([...['required', 'optional', 'forbidden', 7].map(supports), { ...TOOL, execution: 7 }]);
  const { tools, notes } = listing.result();
  expect(tools.map(({ name }) => name)).toEqual(['optional', 'forbidden', '7', 'do']);
  expect(notes).toEqual([
    'server "docs" wants these called as tasks, which is not supported, and they are left out: required',
  ]);
});

test('names are valid for every model, and each is one tool’s', () => {
  const listing = createListing(toolServer({ args: [] }), (text) => text);
  const long = 'n'.repeat(100);
  listing.add(['a.b', 'a b', 'a/b', 'ä', `${long}1`, `${long}2`].map((name) => ({ ...TOOL, name })));
  const names = listing.result().tools.map(({ definition }) => definition.name);
  expect(names).toHaveLength(6);
  expect(new Set(names).size).toBe(6);
  expect(names.filter((name) => !/^mcp__docs__[a-zA-Z0-9_-]+$/.test(name) || name.length > 64)).toEqual([]);
  expect(names[0]).toBe('mcp__docs__a_b');
});

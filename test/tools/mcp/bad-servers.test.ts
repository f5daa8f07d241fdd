import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { ToolServer } from '../../../src/core/records/tool-server.ts';
import { createListing } from '../../../src/tools/mcp/client/to-listing.ts';
import {
  call,
  result,
  sendJson,
  startBadServer,
  TOOL,
  UNKNOWN,
  type OnCall,
} from '../../fixtures/bad-tool-server.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';
import { openToolServers, startToolServer, toolServer } from '../../fixtures/tool-server.ts';

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

test.each<[string, OnCall, string]>([
  [
    'redirects',
    (response) => void response.writeHead(300, { location: '/elsewhere' }).end(),
    'it redirects to another place, which is not followed (HTTP 300)',
  ],
  [
    'says that it has too much to do',
    (response) => void response.writeHead(429).end(' try\n later '),
    'HTTP 429 Too Many Requests: try later',
  ],
  [
    'says nothing that is known',
    (response) => void response.writeHead(499, ' ').end('<p>no</p>'),
    'HTTP 499',
  ],
])(
  'a server that %s has not made the call, which is tried anew where the connection was an old one',
  async (_, onCall, why) => {
    const { server, counted } = await startBadServer(onCall);
    const servers = openToolServers();
    const refusal = { text: `Error: mcp__docs__do failed - ${why}`, isError: true };
    expect(await servers.call(server, call('do'))).toEqual(refusal);
    expect(counted).toEqual({ calls: 1, greetings: 1 });
    await servers.list(server);
    expect(await servers.call(server, call('do'))).toEqual(refusal);
    expect(counted).toEqual({ calls: 3, greetings: 3 });
  },
);

test('a server that is gone has not made the call, of which nothing came to it', async () => {
  const { endpoint, close } = await serveOnLoopback(() => {});
  await close();
  expect(await openToolServers().call(toolServer({ url: endpoint }), call('do'))).toEqual({
    text: `Error: mcp__docs__do failed - server "docs" does not answer: connect ECONNREFUSED ${endpoint.slice('http://'.length)}`,
    isError: true,
    failure: 'fault',
  });
});

test('an answer that breaks off is picked up where it was left, if the server says how', async () => {
  const events: string[] = [];
  const { server, counted } = await startBadServer(
    (response, id) => {
      const stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      const rest = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: result('late') })}\n\n`;
      picksUp = (other) => other.writeHead(200, { 'content-type': 'text/event-stream' }).end(rest);
      stream.end('id: e7\nretry: 1\ndata:\n\n');
    },
    undefined,
    '',
    (request, response) => {
      events.push(String(request.headers['last-event-id']));
      picksUp(response);
    },
  );
  let picksUp = (response: ServerResponse): unknown => response.writeHead(405).end();
  expect(await openToolServers().call(server, call('do'))).toEqual({ text: 'late' });
  expect([events, counted.calls]).toEqual([['e7'], 1]);
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
  expect(counted).toEqual({ calls: 1, greetings: 1 });
});

test('a list that is not as the protocol has it is told, and is asked for anew by the next', async () => {
  const { server, counted } = await startBadServer(
    () => {},
    () => Promise.resolve({ tools: 'none' }),
  );
  const servers = openToolServers();
  for (const _ of [1, 2])
    await expect(servers.list(server)).rejects.toThrow(
      /^server "docs" does not list its tools: its answer does not follow the protocol$/,
    );
  expect(counted.greetings).toBe(2);
});

test('a call that is not answered ends with its signal', async () => {
  const stop = new AbortController();
  const { server } = await startBadServer(() => stop.abort(new Error('too late')));
  await expect(openToolServers().call(server, call('do', false, stop.signal))).rejects.toThrow('too late');
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

/** A server that is a command: what it does at its start, and with a call. */
function commandServer(atStart: string, onCall = ''): ToolServer {
  const program = `${atStart}
    const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const greeting = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'c', version: '1' } };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') say(id, greeting);
      if (method === 'tools/call') { ${onCall} }
    });`;
  const reach = {
    kind: 'command' as const,
    command: process.execPath,
    args: ['-e', program],
    env: {},
    cwd: '',
  };
  return toolServer({ args: [] }, { reach });
}

test('a command that ends in the middle of a call leaves it unknown, and is started again for the next', async () => {
  const server = commandServer(
    '',
    "if (params.name === 'die') process.exit(1); else say(id, { content: [] });",
  );
  const servers = openToolServers();
  expect(await servers.call(server, call('die'))).toEqual({
    text: `Error: mcp__docs__die failed - the server has exited. ${UNKNOWN}`,
    isError: true,
    failure: 'outcome_unknown',
  });
  expect(await servers.call(server, call('live'))).toEqual({ text: '(no output)' });
});

test('a command that is ended for what it answers is not told to have ended by itself', async () => {
  const server = commandServer('', 'say(id, { content: [], rest: Array(200_001).fill(0) });');
  expect(await openToolServers().call(server, call('do'))).toEqual({
    text: `Error: mcp__docs__do failed - a message has more than 200000 values. ${UNKNOWN}`,
    isError: true,
    failure: 'outcome_unknown',
  });
});

test('a command that is no server is told with the end of what it says', async () => {
  const server = commandServer(
    `console.error('x'.repeat(500) + 'no such \\x1b[31mmodule'); process.exit(1);`,
  );
  await expect(openToolServers().list(server)).rejects.toThrow(
    new RegExp(`^server "docs" does not answer: the server has exited; it said: x{481}no such \\[31mmodule$`),
  );
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

test('of more than 100 tools the first are taken, and the rest is not even looked at', () => {
  const server = toolServer({ args: [] }, { readOnly: ['gone'] });
  const numbered = (count: number) => Array.from({ length: count }, (_, id) => ({ ...TOOL, name: `t${id}` }));
  const [exact, more] = [createListing(server, (text) => text), createListing(server, (text) => text)];
  expect([exact.add(numbered(100)), more.add([...numbered(101), 7])]).toEqual([true, false]);
  expect([exact.result(), more.result()].map(({ tools, notes }) => [tools.length, notes])).toEqual([
    [100, ['server "docs" has no tool "gone"']],
    [
      100,
      [
        'server "docs" offers more than 100 tools, of which the first are taken: name those that are wanted in its tools',
      ],
    ],
  ]);
});

test('over HTTP, a tool that wants a header which cannot be is left out, and one that wants another is told so', () => {
  const wanting = (name: string, header: string) => ({
    ...TOOL,
    name,
    inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': header } } },
  });
  const listed = (server: ReturnType<typeof toolServer>) => {
    const listing = createListing(server, (text) => text);
    listing.add([wanting('odd', 'a b'), wanting('fine', 'A')]);
    const { tools, notes } = listing.result();
    return [tools.map(({ name, mirrored }) => [name, mirrored]), notes.slice(0, 1)];
  };
  const { properties } = wanting('fine', 'A').inputSchema;
  expect(listed(toolServer({ url: 'https://docs.example/mcp' }))).toEqual([
    [['fine', { type: 'object', properties }]],
    ['server "docs" describes a tool in a way that cannot be read: left out'],
  ]);
  expect(listed(toolServer({ args: [] }))[0]).toEqual([
    ['odd', undefined],
    ['fine', undefined],
  ]);
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

test('what is wrong with a list is said once, and of many tools the first three are named', () => {
  const server = toolServer({ args: [] }, { readOnly: ['a2', 'no "tool"', 'gone'] });
  const tools = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ({
    name,
    description: 'd'.repeat(2_001),
    inputSchema: { type: 'object', properties: {}, not: {} },
  }));
  const tasks = tools.map((tool) => ({
    ...tool,
    name: `task ${tool.name}`,
    execution: { taskSupport: 'required' },
  }));
  const listing = createListing(server, (text) => text);
  expect([listing.add([...tools, {}]), listing.add([...tools, ...tasks])]).toEqual([true, true]);
  const { tools: taken, notes } = listing.result();
  expect(taken.map(({ name }) => name)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  expect(notes).toEqual([
    'server "docs" describes a tool in a way that cannot be read: left out',
    'server "docs" has no tool "no \\"tool\\"", "gone"',
    'server "docs" wants these called as tasks, which is not supported, and they are left out: task a1, task a2, task a3, and 2 more',
    'server "docs" has descriptions of more than 2000 characters, which are cut: a1, a2, a3, and 2 more',
    'server "docs" takes arguments that not every model can be told in full, which are simplified: a1 ("not"), a2 ("not"), a3 ("not"), and 2 more',
  ]);
});

test.each([
  [8_000, 8_000, []],
  [8_001, 8_000, ['server "docs" has instructions of more than 8000 characters, which are cut']],
])('instructions of %d characters are told by %d of them', async (length, told, notes) => {
  const { server } = await startBadServer(
    () => {},
    async () => ({ tools: [TOOL] }),
    'i'.repeat(length),
  );
  const listing = await openToolServers().list({ ...server, instructions: true });
  expect([listing.instructions?.length, listing.notes]).toEqual([told, notes]);
  expect((await openToolServers().list(server)).notes).toEqual([]);
});

test.each([
  ['what they say', [60_000, 120_000], 60_000],
  ['five minutes, where they say nothing', [0], 300_000],
  ['a day, where they say more', [2 ** 40], 86_400_000],
])('pages of a list are kept for %s', async (_, ttls, kept) => {
  let page = 0;
  const { server } = await startBadServer(
    () => {},
    async () => {
      const ttlMs = ttls[page++];
      return {
        tools: [{ ...TOOL, name: `t${page}` }],
        ttlMs,
        ...(page < ttls.length && { nextCursor: 'more' }),
      };
    },
  );
  const { tools, until } = await openToolServers({}, undefined, () => 1_000).list(server);
  expect([tools.map(({ name }) => name), until]).toEqual([
    ttls.map((_each, index) => `t${index + 1}`),
    1_000 + kept,
  ]);
});

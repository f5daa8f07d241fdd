import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { seconds } from '../../../src/core/records/times.ts';
import { call, startBadServer, TOOL, UNKNOWN } from '../../fixtures/bad-tool-server.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';
import { openToolServers, toolServer } from '../../fixtures/tool-server.ts';

test('a server that never answers a greeting is given up', async () => {
  const { endpoint, close } = await serveOnLoopback(() => {});
  onTestFinished(close);
  await expect(
    openToolServers().list(toolServer({ url: endpoint }, { timeout: seconds(1) })),
  ).rejects.toThrow('server "docs" does not answer: it took too long');
});

test('no more is read of an answer than can be used', async () => {
  let left = 100;
  const { server } = await startBadServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const piece = Buffer.alloc(2 ** 20, 'x');
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  expect(await openToolServers().call(server, call('do'))).toEqual({
    text: `Error: mcp__docs__do failed - the answer is larger than 10 MB. ${UNKNOWN}`,
    isError: true,
    failure: 'outcome_unknown',
  });
  expect(left).toBeGreaterThan(0);
});

test('a server that holds on to the note after its greeting is given up', async () => {
  const { server } = await startBadServer(
    () => {},
    undefined,
    undefined,
    undefined,
    () => {},
  );
  await expect(openToolServers().list({ ...server, timeout: seconds(1) })).rejects.toThrow(
    'server "docs" does not answer: it took too long',
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
    text: `Error: mcp__docs__do failed - the server does not read what it is sent. ${UNKNOWN}`,
    isError: true,
    failure: 'outcome_unknown',
  });
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

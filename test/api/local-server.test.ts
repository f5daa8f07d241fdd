import { rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { accessTo } from '../../src/api/local-access.ts';
import { startLocalServer } from '../../src/api/local-server.ts';
import { openAgentFolders } from '../../src/workspace/agent-folders.ts';
import { serveAgents, wallClock } from './served-agents.ts';

/** `fetch` sets these headers itself. */
function statusOf(url: string, method: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.on('error', reject).end();
  });
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

test('a fault of the server is logged under the id that the client gets, and told to nobody else', async () => {
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

test('a port that is taken is told of', async () => {
  const { server, stage } = await serveAgents({});
  const port = Number(new URL(server.url).port);
  const source = openAgentFolders({ cwd: stage.cwd, env: {} });
  const starting = startLocalServer({
    pipeline: stage.pipeline,
    source,
    access: await accessTo('127.0.0.1', undefined),
    port,
    models: [],
    clock: wallClock,
    tell: () => {},
  });
  await expect(starting).rejects.toThrow(
    `cannot listen on port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; choose another with --port or --host`,
  );
});

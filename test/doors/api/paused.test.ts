import { expect, test } from 'vitest';
import { call } from '../../fixtures/stage.ts';
import { clientOf } from './mcp-client.ts';
import { problem, serveAgents } from './served-agents.ts';

const PAUSE = {
  at: '2026-11-23T03:12:00.000Z',
  by: 'ada',
  reason: 'the provider is down',
  release: 'cadre unpause --env dev',
};
const TEXT =
  'paused by ada since 2026-11-23T03:12:00.000Z (the provider is down): nothing is started; go on with: cadre unpause --env dev';

test('while everything is paused, each door refuses in its own form to start a run, and then starts it', async () => {
  const served = await serveAgents({ top: () => 'done' }, { top: '[serve]\nmcp = true\n' });
  const { store } = served.stage.pipeline;
  const mcp = await clientOf(served);
  const messages = [{ id: '1', role: 'user', content: 'go' }];
  const threadId = 'thread';
  const agUi = { threadId, runId: '1', state: {}, messages, tools: [], context: [], forwardedProps: {} };
  const start = () => served.post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  const complete = () =>
    fetch(`${served.server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'cadre/top', messages: [{ role: 'user', content: 'go' }] }),
    });

  await store.setPause(PAUSE);
  expect(await start()).toMatchObject({ status: 503, body: problem(503, 'Service Unavailable', TEXT) });
  expect(await served.post('/agents/top/ag-ui', { json: agUi })).toMatchObject({
    status: 503,
    body: problem(503, 'Service Unavailable', TEXT),
  });
  const completion = await complete();
  expect([completion.status, await completion.json()]).toEqual([
    503,
    { error: { message: TEXT, type: 'server_error', param: null, code: 'environment_paused' } },
  ]);
  expect(await mcp.callTool({ name: 'top', arguments: { prompt: 'go' } })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: `Error: ${TEXT}` }],
  });
  expect(served.stage.asked).toEqual([]);

  await store.setPause(undefined);
  expect(await start()).toMatchObject({ status: 200, body: { content: 'done' } });
  expect((await complete()).status).toBe(200);
});

test('a run that failed is not resumed, and no copy of one is started', async () => {
  const served = await serveAgents(
    {
      top({ turn, results }) {
        if (turn === 1) return [call('kid', 'one')];
        throw new Error(`the model is down after ${results.join()}`);
      },
      kid: () => 'did one',
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const { body } = await served.post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  const run = String(body['run_id']);
  await served.stage.pipeline.store.setPause(PAUSE);
  expect(await served.post(`/runs/${run}/resume`)).toMatchObject({
    status: 503,
    body: problem(503, 'Service Unavailable', TEXT),
  });
  expect(await served.post(`/runs/${run}/fork`, { json: { turn: 1 } })).toMatchObject({
    status: 503,
    body: problem(503, 'Service Unavailable', TEXT),
  });
});

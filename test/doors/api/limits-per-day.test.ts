import { expect, test } from 'vitest';
import { partOf, SHARDS } from '../../../src/core/records/day-shard.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import { dayAt } from '../../../src/core/records/spent.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';
import { clientOf } from './mcp-client.ts';
import { problem, serveAgents } from './served-agents.ts';

const LIMITED = '[limits]\nusd_per_day = 2\n';
const TEXT =
  'limit per day reached: $2.0000 of usd_per_day = $2.0000 for agent "top" are spent today (UTC), or held by agents at work: nothing is started before 00:00 UTC';

/** Has so many dollars of two be spent today. */
async function spend(usd: number, store: RunStore): Promise<void> {
  const day = dayAt(Date.now());
  const shards = await store.dayShards();
  for (let shard = 0; shard < SHARDS; shard++) {
    const settled = partOf(usd * 1e9, shard);
    await shards.change({ day, scope: 'agent#top', shard }, () => ({ settled, given: {} }));
  }
}

test('where a limit per day has nothing left, each door refuses in its own form to start a run', async () => {
  const served = await serveAgents({ top: () => 'done' }, { top: `${LIMITED}[serve]\nmcp = true\n` });
  const { store } = served.stage.pipeline;
  const mcp = await clientOf(served);
  const messages = [{ id: '1', role: 'user', content: 'go' }];
  const threadId = 'thread';
  const agUi = { threadId, runId: '1', state: {}, messages, tools: [], context: [], forwardedProps: {} };

  await spend(2, store);
  expect(await served.post('/agents/top/runs?wait=25', { json: { prompt: 'go' } })).toMatchObject({
    status: 429,
    body: problem(429, 'Too Many Requests', TEXT),
  });
  expect(await served.post('/agents/top/ag-ui', { json: agUi })).toMatchObject({
    status: 429,
    body: problem(429, 'Too Many Requests', TEXT),
  });
  const completion = await fetch(`${served.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'cadre/top', messages: [{ role: 'user', content: 'go' }] }),
  });
  expect([completion.status, completion.headers.get('x-should-retry'), await completion.json()]).toEqual([
    429,
    'false',
    { error: { message: TEXT, type: 'insufficient_quota', param: null, code: 'insufficient_quota' } },
  ]);
  expect(await mcp.callTool({ name: 'top', arguments: { prompt: 'go' } })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: `Error: ${TEXT}` }],
  });
  expect(served.stage.asked).toEqual([]);
});

test('under a limit per day, a model without a price is refused before it is asked', async () => {
  const served = await serveAgents({ top: () => 'done' }, { top: LIMITED });
  expect(await served.post('/agents/top/runs?wait=25', { json: { prompt: 'go' } })).toMatchObject({
    body: {
      status: 'failed',
      error:
        'usd_per_day cannot be enforced: the price of "stage/top" is not known; set [prices."stage/top"] in config.toml',
    },
  });
  expect(served.stage.asked).toEqual([]);
});

test('the command says so, too, and ends with code 4', async () => {
  const cwd = await tempFolder({
    'agents/top.toml': `name = "top"\nmodel = "scripted/top.toml"\n${LIMITED}`,
    'top.toml': '[[conversations]]\n[[conversations.turns]]\ntext = "done"\n',
  });
  expect(await typed(['run', 'top', '-p', 'go'], cwd)).toMatchObject({ code: 0, out: 'done' });
  const local = await openLocalStore(cwd);
  await spend(2, local.runs);
  await local.close();
  expect(await typed(['run', 'top', '-p', 'go'], cwd)).toEqual({ code: 4, out: '', err: `Error: ${TEXT}\n` });
});

import { expect, test } from 'vitest';
import { createFollow } from '../../../src/places/follow/follow.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createFolderBlobs } from '../../../src/places/local/store/folder-blobs.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { sentEvents } from '../../fixtures/server-sent-events.ts';
import { call, latch, silence } from '../../fixtures/stage.ts';
import { ONE_TURN, problem, serveAgents, type Served } from './served-agents.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const TREE = { top: 'sub_agents = ["kid"]\n' };

async function follow({ server }: Served, id: string, after?: string) {
  const headers = after === undefined ? {} : { 'last-event-id': after };
  const response = await fetch(`${server.url}/runs/${id}/events`, { headers });
  const { status } = response;
  return { status, type: response.headers.get('content-type'), events: sentEvents(await response.text()) };
}

test('a run is followed with everything below it until it ends, and then there is nothing more', async () => {
  const goesOn = latch();
  const served = await serveAgents(
    {
      top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'done'),
      async kid() {
        await goesOn.opened;
        return 'so';
      },
    },
    TREE,
  );
  const id = String((await served.post('/agents/top/runs')).body['run_id']);
  const response = await fetch(`${served.server.url}/runs/${id}/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  let live = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    live += text;
    // It arrives while the run is at work.
    if (live.includes('SUBAGENT_STARTED')) goesOn.open();
  }
  const events = sentEvents(live);
  expect(live.startsWith('retry: 1000\n\n')).toBe(true);
  expect(events.at(0)?.event).toMatchObject({ type: 'RUN_STARTED', runId: id });
  expect(events.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', runId: id, result: 'done' });
  const kid = `${id.replace('top', 'kid')}-t1c1`;
  const started = events.find(({ event }) => event.type === 'SUBAGENT_STARTED')?.event;
  expect(started).toMatchObject({ subagentRunId: kid, name: 'kid', parentToolCallId: `${id}-t1c1` });

  const later = await follow(served, id);
  expect(later.events.map(({ event }) => event)).toEqual(events.map(({ event }) => event));
  // A client that is told so does not come back.
  expect(await follow(served, id, events.at(-1)?.id)).toEqual({ status: 204, type: null, events: [] });
  // A sub-agent's run by itself is a run.
  const below = await follow(served, kid);
  expect(below.events.map(({ event }) => event.type)).toEqual(ONE_TURN);
  // Several of them say one thing that happened, and a client may have lost its connection between any two.
  for (const [index, { id: after }] of below.events.entries()) {
    expect((await follow(served, kid, after)).events).toEqual(below.events.slice(index + 1));
  }
});

test('a turn that began before anybody looked is followed word by word', async () => {
  const [hasBegun, goesOn] = [latch(), latch()];
  const served = await serveAgents({
    async top({ onDelta }) {
      onDelta?.({ type: 'text', text: 'first ' });
      hasBegun.open();
      await goesOn.opened;
      return 'first and last';
    },
  });
  const id = String((await served.post('/agents/top/runs')).body['run_id']);
  await hasBegun.opened;
  const response = await fetch(`${served.server.url}/runs/${id}/events`);
  let live = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    live += text;
    if (live.includes('"delta":"first "')) goesOn.open();
  }
  const events = sentEvents(live).map(({ event }) => event);
  expect(events.map(({ type }) => type)).toEqual(ONE_TURN.toSpliced(3, 0, 'TEXT_MESSAGE_CONTENT'));
  const { store } = served.stage.pipeline;
  // No note was needed for it.
  expect([await store.watchedUntil(id), await store.draft(id)]).toEqual([0, undefined]);
});

test('a client that lost its connection continues after the last event that it has', async () => {
  const goesOn = latch();
  const served = await serveAgents(
    {
      top: ({ turn }) => (turn === 1 ? [call('kid', 'x'), call('kid', 'y')] : 'done'),
      async kid({ message }) {
        if (message.includes('y')) await goesOn.opened;
        return 'so';
      },
    },
    TREE,
  );
  const id = String((await served.post('/agents/top/runs')).body['run_id']);
  const before = new AbortController();
  const response = await fetch(`${served.server.url}/runs/${id}/events`, { signal: before.signal });
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.includes('SUBAGENT_FINISHED')) break;
  }
  before.abort();
  goesOn.open();
  const first = sentEvents(text.slice(0, text.lastIndexOf('\n\n')));
  const rest = await follow(served, id, first.at(-1)?.id);
  const union = [...first, ...rest.events].map(({ event }) => event);
  const whole = (await follow(served, id)).events.map(({ event }) => event);
  const sorted = (events: typeof whole) => events.map((event) => JSON.stringify(event)).sort();
  expect(sorted(union)).toEqual(sorted(whole));
  expect(rest.events.length).toBeGreaterThan(0);
});

test.each(['x', '[]', Buffer.from('["top-00000000000000",[["",-1]]]').toString('base64url')])(
  'an unknown id of an event is refused: %s',
  async (after) => {
    const { get, ask } = await serveAgents({ top: () => 'done' });
    const { body } = await ask('POST', '/agents/top/runs?wait=25');
    const id = String(body['run_id']);
    const answer = await ask('GET', `/runs/${id}/events`, { headers: { 'last-event-id': after } });
    expect(answer.body).toEqual(
      problem(400, 'Bad Request', 'last-event-id must be the id of an event of this run', [
        { field: 'last-event-id', detail: 'must be the id of an event of this run' },
      ]),
    );
    expect((await get('/runs/top-00000000000000/events')).status).toBe(404);
  },
);

test('an id that was never given ends the stream of a run that has ended all the same', async () => {
  const served = await serveAgents({ top: () => 'done' });
  const id = String((await served.post('/agents/top/runs?wait=25')).body['run_id']);
  const forged = (...position: number[]) =>
    Buffer.from(JSON.stringify([id, [['', ...position]]])).toString('base64url');
  const types = async (after: string) =>
    (await follow(served, id, after)).events.map(({ event }) => event['type']);
  expect(await types(forged(0, 99))).toContain('RUN_FINISHED');
  expect(await types(forged(99, 9, 9, 9))).toEqual(['RUN_FINISHED']);
  const headers = { 'last-event-id': forged(2, 0, 0, 0, 0, 0, 0, 99) };
  expect((await served.ask('GET', `/runs/${id}/events`, { headers })).status).toBe(400);
});

test('a client that has all of a tree of 400 sub-agents, which ended at once, is told that there is no more', async () => {
  const served = await serveAgents({ top: silence });
  const { store } = served.stage.pipeline;
  const id = 'top-00000000000001';
  const endedAt = '2026-01-01T00:00:01.000Z';
  const top = aRun({ id, status: 'stopped', endedAt });
  const calls = Array.from({ length: 400 }, (_, index) => call('kid', `${index}`));
  const plans = calls.map(() => ({ kind: 'delegate' as const, agent: 'kid', task: 'x', context: '' }));
  await keepRun(store, top);
  await store.saveOpened(id, anOpened({ root: id }));
  await store.saveTurn(id, aTurn({ answer: { calls }, plans }));
  await Promise.all(
    calls.map(async (_, index) => {
      const parent = { run: id, turn: 1, call: index + 1 };
      const kid = aSubAgent(top, { path: `t1c${index + 1}`, parent });
      await keepRun(store, kid);
      await store.saveOpened(kid.id, anOpened({ root: id }));
      await store.saveTurn(kid.id, aTurn());
    }),
  );
  const { events } = await follow(served, id);
  expect(events.filter(({ event }) => event.type === 'SUBAGENT_ERROR')).toHaveLength(400);
  expect((await follow(served, id, events.at(-1)?.id)).status).toBe(204);
});

test('an id of another run is refused', async () => {
  const served = await serveAgents({ top: () => 'done' });
  const [one, other] = await Promise.all(
    [1, 2].map(async () => String((await served.post('/agents/top/runs?wait=25')).body['run_id'])),
  );
  const { events } = await follow(served, one ?? '');
  const headers = { 'last-event-id': events[0]?.id ?? '' };
  expect((await served.ask('GET', `/runs/${other}/events`, { headers })).status).toBe(400);
});

test('a run that failed and goes on is followed to its next end', async () => {
  let isMended = false;
  const served = await serveAgents({
    top() {
      if (!isMended) throw new Error('broken');
      return 'mended';
    },
  });
  const { body } = await served.post('/agents/top/runs?wait=25');
  const id = String(body['run_id']);
  const failed = await follow(served, id);
  expect(failed.events.at(-1)?.event.type).toBe('RUN_ERROR');
  isMended = true;
  await served.post(`/runs/${id}/resume`);
  const rest = await follow(served, id, failed.events.at(-1)?.id);
  expect(rest.events.map(({ event }) => event.type)).toEqual(ONE_TURN);
});

test('a client that has all is sent what a sub-agent did that was written to since, and is told then that there is no more', async () => {
  const served = await serveAgents(
    {
      top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'done'),
      kid: ({ turn }) => (turn === 1 ? 'so' : 'so once more'),
    },
    TREE,
  );
  const id = String((await served.post('/agents/top/runs?wait=25')).body['run_id']);
  const before = await follow(served, id);
  const after = before.events.at(-1)?.id;
  expect((await follow(served, id, after)).status).toBe(204);
  const kid = `${id.replace('top', 'kid')}-t1c1`;
  const { environment } = served.stage;
  await environment.send({ run: kid, text: 'and more?' });
  await environment.ended(kid, { wholeTree: true });
  const { events } = await follow(served, id, after);
  expect(events.map(({ event }) => event.type)).toEqual([
    'SUBAGENT_STARTED',
    ...ONE_TURN.slice(1, -1),
    'SUBAGENT_FINISHED',
  ]);
  expect((await follow(served, id, events.at(-1)?.id)).status).toBe(204);
});

test('a run without a carrier is told as far as it came', async () => {
  const served = await serveAgents({ top: silence });
  const { store } = served.stage.pipeline;
  // As a process leaves it behind that was killed.
  const id = 'top-00000000000001';
  await store.insertRun(aRun({ id, model: 'stage/top', execution: 'gone' }));
  expect((await follow(served, id)).events.map(({ event }) => event.type)).toEqual(['RUN_STARTED']);
});

test('a server that is stopped ends what it sends', async () => {
  const served = await serveAgents({ top: silence });
  const id = String((await served.post('/agents/top/runs')).body['run_id']);
  const response = await fetch(`${served.server.url}/runs/${id}/events`);
  const reader = response.body?.getReader();
  await reader?.read();
  await served.server.close();
  const drained = (async () => {
    while (!(await reader?.read())?.done);
  })();
  await drained.catch(() => {});
  expect((await served.stage.pipeline.store.run(id))?.status).toBe('stopped');
});

/** A table that counts how often it is read. */
function counting(table: Table): { table: Table; reads(): number } {
  let reads = 0;
  return {
    reads: () => reads,
    table: {
      get: (key) => ((reads += 1), table.get(key)),
      query: (...given) => ((reads += 1), table.query(...given)),
      putIfAbsent: (...given) => table.putIfAbsent(...given),
      putIfVersion: (...given) => table.putIfVersion(...given),
      delete: (key) => table.delete(key),
      close: () => table.close(),
    },
  };
}

test('two hundred who follow one run read the store as often as one does', async () => {
  const served = await serveAgents(
    { top: ({ turn }) => (turn === 1 ? [call('kid', 'x'), call('kid', 'y')] : 'done'), kid: () => 'so' },
    TREE,
  );
  const { body } = await served.post('/agents/top/runs?wait=25');
  const id = String(body['run_id']);
  const { cwd } = served.stage;
  const readsOf = async (readers: number) => {
    const { table, reads } = counting(await openLmdbTable(`${cwd}/.cadre/store`));
    const store = createRunStore(table, createDocuments(table, createFolderBlobs(`${cwd}/.cadre/blobs`)));
    const { look: follow } = createFollow({ store, isCarriedOut: async () => true, pollMs: 60_000 });
    const looks = Array.from({ length: readers }, async () => {
      for await (const { records } of follow({ id }, new AbortController().signal)) return records.runs.size;
      return 0;
    });
    expect(new Set(await Promise.all(looks))).toEqual(new Set([3]));
    await table.close();
    return reads();
  };
  const one = await readsOf(1);
  expect(one).toBeGreaterThan(0);
  expect(await readsOf(200)).toBe(one);
});

import { expect, test } from 'vitest';
import { fromCursor, toCursor, type Positions } from '../../../src/core/events/positions.ts';
import { createTeller } from '../../../src/core/events/tell.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { openTree } from '../../../src/places/follow/view.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';
import { call } from '../../fixtures/stage.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (second: number) => new Date(START + second * 1000).toISOString();

/** A tree, and what is news of it to a client that has nothing but the cursor each time it comes back. */
function aStore(top: Run) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  let cursor = '';
  const news = async (second: number) => {
    const positions: Positions = fromCursor(top.id, cursor) ?? new Map();
    const { top: of, reader } = await openTree(top.id, positions, {
      store,
      now: () => START + second * 1000,
    });
    await reader.read();
    const events = [...createTeller(of, positions).news(reader.records)].map(({ event }) => event);
    cursor = toCursor(top.id, positions);
    return events.map(({ agent, type }) => `${agent} ${type}`);
  };
  const opened = async (...runs: Run[]) => {
    for (const run of runs) {
      await keepRun(store, run);
      await store.saveOpened(run.id, anOpened());
    }
  };
  return { store, news, opened };
}

/** A turn that calls an agent. */
function delegating(agent: string, second: number) {
  const plans = [{ kind: 'delegate' as const, agent, task: 'x', context: '' }];
  return aTurn({ answer: { calls: [call(agent, 'x')] }, plans, at: at(second) });
}

/** A second turn, with the result of the call. */
function following(second: number) {
  const results = [{ callId: 'c1', name: 'call_agent', text: 'over', isError: false }];
  return aTurn({ number: 2, received: [{ role: 'tool', results }], at: at(second) });
}

test('what an agent did that was woken after its call is told once, although nothing of its caller is read any more', async () => {
  const top = aRun();
  const { store, news, opened } = aStore(top);
  const a = aSubAgent(top, { agent: 'a' });
  const b = aSubAgent(a, { agent: 'b', path: 't1c1_t1c1', status: 'succeeded', endedAt: at(6) });
  const c = aSubAgent(b, { agent: 'c', path: 't1c1_t1c1_t1c1', status: 'succeeded', endedAt: at(4) });
  await opened(top, a, b, c);
  await store.saveTurn(top.id, delegating('a', 1));
  await store.saveTurn(a.id, delegating('b', 2));
  await store.saveTurn(b.id, delegating('c', 3));
  await store.saveTurn(c.id, aTurn({ at: at(4) }));
  await store.saveTurn(b.id, following(5));
  await store.saveTurn(a.id, following(7));
  await store.updateRun(c.id, (run) => ({ ...run, status: 'running', holder: 2, resumedAt: at(95) }));
  await store.saveTurn(c.id, aTurn({ number: 2, at: at(97) }));
  await store.updateRun(c.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(98) }));
  expect((await news(100)).filter((each) => each.startsWith('c '))).toEqual([
    'c run_opened',
    'c turn_started',
    'c turn_finished',
    'c turn_started',
    'c turn_finished',
    'c run_closed',
  ]);
  await store.updateRun(a.id, (run) => ({ ...run, status: 'succeeded', endedAt: at(101) }));
  await store.saveTurn(top.id, following(102));
  expect(await news(103)).toEqual([
    'a run_closed',
    'top call_finished',
    'top turn_started',
    'top turn_finished',
  ]);
  expect(await news(104)).toEqual([]);
});

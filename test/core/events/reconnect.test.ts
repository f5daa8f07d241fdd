import { expect, test } from 'vitest';
import { beginning, fromCursor, toCursor, type Positions } from '../../../src/core/events/positions.ts';
import { createTeller } from '../../../src/core/events/tell.ts';
import { createTreeReader } from '../../../src/core/events/tree-reader.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const KIDS = 400;

/** A tree whose top waits for 400 sub-agents, all of which wait for their models. */
async function openTree() {
  const kept = createMemoryTable();
  let requests = 0;
  const counted = <Given extends unknown[], Result>(operation: (...given: Given) => Result) => {
    return (...given: Given) => {
      requests += 1;
      return operation(...given);
    };
  };
  const table: Table = { ...kept, get: counted(kept.get), query: counted(kept.query) };
  const writer = createRunStore(kept, createDocuments(kept, NO_BLOBS));
  const top = aRun({ status: 'running' });
  const calls = Array.from({ length: KIDS }, (_, call) => ({
    id: `c${call}`,
    name: 'call_agent',
    arguments: { agent: 'kid', task: 'go' },
  }));
  const plans = calls.map(() => ({
    kind: 'delegate' as const,
    agent: 'kid',
    task: 'go',
    context: '',
    timeout: 60,
  }));
  await keepRun(writer, top);
  await writer.saveOpened(top.id, anOpened({ root: top.id }));
  await writer.saveTurn(top.id, aTurn({ answer: { calls }, plans }));
  const kids: Run[] = [];
  for (let call = 1; call <= KIDS; call++) {
    const kid = aSubAgent(top, { path: `t1c${call}`, parent: { run: top.id, turn: 1, call } });
    kids.push(kid);
    await keepRun(writer, kid);
    await writer.saveOpened(kid.id, anOpened({ root: top.id }));
  }
  /** What a function that has just started reads and tells. */
  const follow = async (from: Positions, readsAll = false) => {
    requests = 0;
    const store: RunStore = createRunStore(table, createDocuments(table, NO_BLOBS));
    const toldOf = (run: Run) => (readsAll ? 0 : (from.get(run.path)?.turn ?? 0));
    const reader = createTreeReader(top, store, loadOwnTools, Date.now, { toldOf });
    await reader.read();
    const teller = createTeller(top, from);
    const events = [...teller.news(reader.records)].map(({ event }) => event);
    return { events, requests, cursor: toCursor(top.id, teller.positions) };
  };
  const again = (cursor: string) => fromCursor(top.id, cursor) ?? new Map([['', beginning()]]);
  return { writer, top, kids, follow, again };
}

test('who comes back to a tree of 401 runs at work has each of them looked at once, and not the whole of it', async () => {
  const { follow, again } = await openTree();
  const first = await follow(new Map());
  const second = await follow(again(first.cursor));
  expect(second.events).toEqual([]);
  // Both took as many before: the tree, and three reads of each run. One of the top's tells how its calls end.
  expect([first.requests, second.requests]).toEqual([1_204, 1 + 401 + 1]);
});

test('what has happened since is told as it would have been without a break', async () => {
  const { writer, top, kids, follow, again } = await openTree();
  const { cursor } = await follow(new Map());
  const [kid] = kids;
  if (kid === undefined) throw new Error('there is no kid');
  await writer.saveTurn(kid.id, aTurn({ answer: { text: 'done' } }));
  await writer.updateRun(kid.id, (run) => ({
    ...run,
    status: 'succeeded',
    endedAt: new Date().toISOString(),
  }));
  const { events } = await follow(again(cursor));
  expect(events.map((event) => [event.type, event.run])).toEqual([
    ['turn_started', kid.id],
    ['turn_finished', kid.id],
    ['run_closed', kid.id],
    ['call_finished', top.id],
  ]);
});

test('wherever a client had got to, it is told the same as if all had been read again', async () => {
  const { writer, kids, follow, again } = await openTree();
  const [kid] = kids;
  if (kid === undefined) throw new Error('there is no kid');
  const end = (status: 'failed' | 'succeeded') =>
    writer.updateRun(kid.id, (run) => ({ ...run, status, endedAt: new Date().toISOString() }));
  const use = [{ id: 'c1', name: 'read_file', arguments: { path: 'f' } }];
  const invoke = [
    { kind: 'invoke' as const, subject: 'f', writes: false, isRepeatable: true, seconds: seconds(60) },
  ];
  const steps = [
    () => writer.saveTurn(kid.id, aTurn({ answer: { text: 'let me see', calls: use }, plans: invoke })),
    () =>
      writer.saveCallResult(
        { run: kid.id, turn: 1, call: 1 },
        { text: 'read', isError: false, startedAt: kid.startedAt, durationMs: 5 },
      ),
    () => writer.saveTurn(kid.id, aTurn({ number: 2, answer: { text: 'an answer' } })),
    () => writer.saveTurn(kid.id, aTurn({ number: 3, answer: { text: 'more', calls: use }, plans: invoke })),
    () => end('failed'),
  ];
  let { cursor } = await follow(new Map());
  for (const step of steps) {
    await step();
    const whole = await follow(again(cursor), true);
    const part = await follow(again(cursor));
    expect(part.events).toEqual(whole.events);
    expect(part.events.length).toBeGreaterThan(0);
    cursor = part.cursor;
  }
});

import { treeInstant, seconds } from '../../../src/core/records/times.ts';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { InvokePlan, Plan } from '../../../src/core/records/plan.ts';
import { isFull, withinHistory } from '../../../src/core/steps/history.ts';
import { toWaves } from '../../../src/core/steps/waves.ts';
import { cases } from '../../fixtures/cases.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { aDelegation, aRun, aTurn } from '../../fixtures/records.ts';

const run = aRun();
const reads: InvokePlan = {
  kind: 'invoke',
  subject: 'a',
  writes: false,
  isRepeatable: true,
  seconds: seconds(30),
};
const writes: InvokePlan = { ...reads, writes: true, isRepeatable: false };
const delegates: Plan = { kind: 'delegate', agent: 'kid', task: 'x', context: '' };
const done: Plan = { kind: 'done', text: 'no', isError: true };

const turnOf = (plans: Plan[]) =>
  aTurn({
    answer: { calls: plans.map((_, index) => ({ id: String(index), name: 'tool', arguments: {} })) },
    plans,
  });

async function openStore() {
  const { runs, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  return runs;
}

async function wavesOf(plans: Plan[], parallel?: boolean, isRepeated?: boolean) {
  const waves = await toWavesOf(plans, parallel, isRepeated);
  return waves.map(({ concurrency, steps }) => ({ concurrency, calls: steps.map(({ call }) => call) }));
}

async function kindsOf(plans: Plan[]) {
  return (await toWavesOf(plans)).map(({ kind }) => kind);
}

async function toWavesOf(plans: Plan[], parallel = true, isRepeated = false) {
  const store = await openStore();
  await store.saveCallResult(
    { run: run.id, turn: 1, call: 1 },
    { text: 'kept', isError: false, startedAt: run.startedAt, durationMs: 1 },
  );
  const limits = aDelegation({ subAgents: ['kid'], parallel });
  return toWaves(turnOf(plans), {
    run,
    turn: 1,
    limits,
    store,
    deadline: treeInstant(200_000),
    now: treeInstant(100_000),
    paused: 0,
    isRepeated,
  });
}

describe('the calls of a turn', () => {
  test('that change nothing are carried out at once, those that do one by one, each in its place', async () => {
    expect(await wavesOf([reads, delegates, writes, writes, done, reads])).toEqual([
      { concurrency: 40, calls: [1, 2] },
      { concurrency: 1, calls: [3, 4] },
      { concurrency: 40, calls: [6] },
    ]);
  });

  test('are carried out one after another where the agent wants it so', async () => {
    expect(await wavesOf([reads, writes, delegates], false)).toEqual([{ concurrency: 1, calls: [1, 2, 3] }]);
  });

  test('are no wave where the machine has nothing to do', async () => {
    expect(await wavesOf([done])).toEqual([]);
  });

  test('that left a result are not made again', async () => {
    expect(await wavesOf([reads, reads], true, true)).toEqual([{ concurrency: 40, calls: [2] }]);
  });

  test('have the kind of their wave, if all have it and nobody has to approve one', async () => {
    const gated: Plan = { ...reads, gate: true };
    expect(await kindsOf([reads, reads, writes, delegates, delegates])).toEqual([
      'invoke',
      'invoke',
      'delegate',
    ]);
    expect(await kindsOf([reads, delegates, reads, writes, gated, reads])).toEqual([
      undefined,
      'invoke',
      undefined,
    ]);
  });

  test('keep their order, and none changes what another one looks at meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(reads, writes, delegates, done), { maxLength: 30 }),
        async (plans) => {
          const waves = await wavesOf(plans);
          const calls = waves.flatMap((wave) => wave.calls);
          expect(calls).toEqual([...calls].sort((one, other) => one - other));
          expect(calls.length).toBe(plans.filter(({ kind }) => kind !== 'done').length);
          for (const wave of waves) {
            const kinds = new Set(wave.calls.map((call) => plans[call - 1] === writes));
            expect(kinds.size).toBeLessThanOrEqual(1);
          }
        },
      ),
      { numRuns: cases(20) },
    );
  });
});

describe('the history of an execution', () => {
  test('takes no more calls than it has room for: the rest is refused in words', () => {
    const before = Array.from({ length: 12 }, () => Array.from({ length: 100 }, () => writes));
    const plans = withinHistory(
      Array.from({ length: 900 }, () => writes),
      before,
    );
    const refused = plans.findIndex(({ kind }) => kind === 'done');
    expect(plans.slice(refused)).toEqual(
      plans.slice(refused).map(() => ({
        kind: 'done',
        isError: true,
        text: 'Error: too many tool calls in one run: the history of its execution is full; continue with the results so far',
      })),
    );
    // Each adds 11 events at worst, and alternating ones 6 more for a wave of their own.
    expect(1_200 + refused).toBe(Math.floor((20_000 - 7 - 9 - 13 * (7 + 6)) / 11));
    const alternating = withinHistory(
      Array.from({ length: 2_000 }, (_, index) => (index % 2 === 0 ? reads : writes)),
      [],
    );
    expect(alternating.findIndex(({ kind }) => kind === 'done')).toBe(Math.floor((20_000 - 7 - 9 - 7) / 17));
  });

  test('holds what an agent costs that answers again and again', () => {
    const call = Array.from({ length: 1_000 }, () => writes);
    const room = (before: Plan[][]) =>
      withinHistory([...call, ...call], before).findIndex(({ kind }) => kind === 'done');
    const idle = Array.from({ length: 100 }, () => []);
    // Each time adds 13 events.
    expect(room(idle)).toBe(Math.floor((20_000 - 7 - 9 - 13 * 100 - 13) / 11));
    expect(room([])).toBe(Math.floor((20_000 - 7 - 9 - 13) / 11));
  });

  test('is full where an agent that is idle once more would come to its end', () => {
    // Each time adds 13 events, and so does the next.
    const most = Math.floor((20_000 - 7 - 9 - 13) / 13);
    const idle = (times: number) => isFull(Array.from({ length: times }, () => []));
    expect([idle(0), idle(most), idle(most + 1)]).toEqual([false, false, true]);
  });

  test('has room for calls that the machine need not act on', () => {
    const plans = Array.from({ length: 3_000 }, () => done);
    expect(withinHistory(plans, [])).toEqual(plans);
  });
});

import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { STOPPED } from '../../../src/core/records/closing-reason.ts';
import { KILLED } from '../../../src/core/records/phase.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { sweepTrees } from '../../../src/core/lifecycle/sweep.ts';
import type { ExecutionEnd } from '../../../src/core/machine/executions.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { noticed } from '../../../src/places/follow/notices.ts';
import { meteredTable } from '../../account/metered-table.ts';
import { aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const EXECUTIONS = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-test:';
const top = aRun({ execution: `${EXECUTIONS}top-00000000000000`, timeout: seconds(60) });
const made = aSubAgent(top);
const kid: Run = { ...made, execution: EXECUTIONS + made.id };

/** An account whose events about ends of executions are all lost. */
async function openLossy(runs: Run[], ends: Record<string, ExecutionEnd>) {
  const { metered, units } = meteredTable(createMemoryTable());
  const kept = createRunStore(metered, createDocuments(metered, NO_BLOBS));
  for (const run of runs) await keepRun(kept, run);
  const events: RunEvent[] = [];
  const { store, live } = noticed(kept, (event) => void events.push(event));
  const asked: string[] = [];
  const woken: unknown[][] = [];
  const sweep = async (afterSeconds: number) =>
    sweepTrees(await store.openTrees(), {
      ...NOTHING_RUNS,
      wake: async (...given) => void woken.push(given),
      store,
      live,
      now: () => Date.parse(top.startedAt) + 1000 * afterSeconds,
      endOf: async (execution) => {
        asked.push(execution);
        return ends[execution];
      },
    });
  const statuses = async () =>
    Object.fromEntries(
      (await kept.tree(top.id)).map(({ agent, status, failure }) => [agent, [status, failure?.message]]),
    );
  return { kept, sweep, asked, woken, events, units, statuses };
}

test('runs whose time is over and whose executions have ended unnoticed are closed as they ended', async () => {
  const { sweep, statuses, asked, events } = await openLossy([top, kid], {
    [top.execution]: { status: 'ABORTED', cause: 'enough' },
    [kid.execution]: { status: 'ABORTED' },
  });
  await sweep(100);
  expect(asked).toEqual([]);
  await sweep(130);
  expect(await statuses()).toEqual({ top: ['stopped', 'enough'], kid: ['stopped', STOPPED] });
  expect(events.filter(({ type }) => type === 'warning')).toHaveLength(2);
});

test('a run below an agent that has ended is closed at once, and one that works on is left alone', async () => {
  const stopped: Run = { ...top, status: 'stopped', failure: { error: 'Stopped', message: 'enough' } };
  const { sweep, statuses } = await openLossy([kid, stopped], { [kid.execution]: { status: 'ABORTED' } });
  await sweep(1);
  expect(await statuses()).toEqual({ top: ['stopped', 'enough'], kid: ['stopped', STOPPED] });
  const working = await openLossy([top, kid], {});
  await working.sweep(1000);
  expect(await working.statuses()).toEqual({ top: ['running', undefined], kid: ['running', undefined] });
  expect(working.events).toEqual([]);
});

test('an end that a person has asked for comes, and an answer that was given wakes who waits for it', async () => {
  const { kept, sweep, statuses, woken } = await openLossy([top, { ...kid, isToBeKilled: true }], {});
  const at = { run: top.id, turn: 1, call: 1 };
  const question = { ...at, root: top.id, agent: 'top', question: 'which?', askedAt: top.startedAt };
  await kept.saveTurn(
    top.id,
    aTurn({
      answer: { calls: [{ id: 'c1', name: 'ask_user', arguments: {} }] },
      plans: [{ kind: 'ask', question: 'which?' }],
    }),
  );
  await kept.saveAnswerWait(at, { token: 'token', until: 0 });
  await sweep(1);
  expect(woken).toEqual([]);
  await kept.saveAnswer(question, { text: 'this', at: top.startedAt });
  await sweep(1);
  expect(woken).toEqual([['token', { approved: false }]]);
  expect(await statuses()).toMatchObject({ kid: ['stopped', expect.stringContaining('killed by a person')] });
  expect((await kept.run(kid.id))?.failure?.error).toBe(KILLED);
});

test('where nothing is under way, a sweep reads the list of open trees and nothing else', async () => {
  const { kept, sweep, units } = await openLossy([], {});
  await keepRun(kept, { ...top, status: 'succeeded', endedAt: top.startedAt });
  await sweep(1000);
  units.read = 0;
  await sweep(2000);
  expect(units.read).toBe(1);
});

import { SHARDS } from '../../../src/core/records/day-shard.ts';
import { assert, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { STOPPED } from '../../../src/core/records/closing-reason.ts';
import { KILLED } from '../../../src/core/records/phase.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { putMail } from '../../../src/core/lifecycle/put-mail.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import { reopened } from '../../../src/core/records/reopened.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { holdRun } from '../../../src/core/turn/hold.ts';
import { closeRun, type RunEnd } from '../../../src/core/turn/close.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { sweepTrees } from '../../../src/core/lifecycle/sweep.ts';
import type { ExecutionEnd } from '../../../src/core/machine/executions.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryBlobs, createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { noticed } from '../../../src/places/follow/notices.ts';
import { meteredTable } from '../../account/metered-table.ts';
import { aFork, anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const NOW = Date.parse('2026-01-01T01:00:00.000Z');
const EXECUTIONS = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-test:';
const top = aRun({ execution: `${EXECUTIONS}top-00000000000000`, timeout: seconds(60) });
const made = aSubAgent(top);
const kid: Run = { ...made, execution: EXECUTIONS + made.id };

/**
 * An account whose events about ends of executions are all lost.
 * @param dies how many functions die as soon as they have closed the records of a fork
 */
async function openLossy(runs: Run[], ends: Record<string, ExecutionEnd>, dies = 0) {
  const { metered, units } = meteredTable(createMemoryTable());
  const kept = createRunStore(metered, createDocuments(metered, NO_BLOBS));
  for (const run of runs) await keepRun(kept, run);
  const events: RunEvent[] = [];
  const noted = noticed(kept, (event) => void events.push(event));
  const { live } = noted;
  let deaths = dies;
  let isDead = false;
  const halted: string[] = [];
  const store: RunStore = {
    ...noted.store,
    async updateRun(...given) {
      const updated = await noted.store.updateRun(...given);
      isDead ||= deaths > 0 && updated?.derivedBy === 'fork' && updated.status === 'stopped';
      return updated;
    },
  };
  const asked: string[] = [];
  const woken: unknown[][] = [];
  const started: string[] = [];
  const sweep = async (afterSeconds: number) =>
    sweepTrees(await store.openTrees(), {
      ...NOTHING_RUNS,
      executions: {
        ...NOTHING_RUNS.executions,
        async stop(execution) {
          if (isDead) {
            isDead = false;
            deaths -= 1;
            throw new Error('the sweep dies');
          }
          halted.push(execution);
        },
        async start(name) {
          started.push(name);
          return EXECUTIONS + name;
        },
      },
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
  return { kept, sweep, asked, started, woken, halted, events, units, statuses };
}

/** The trees on the list of open ones. */
async function listed(store: RunStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const [run] of await store.openTrees()) ids.push(run?.root ?? '');
  return ids;
}

describe('a sub-agent that its caller gave up, and whose end nobody was told of', () => {
  const plan = { kind: 'delegate' as const, agent: 'kid', task: 'x', context: '' };
  const calls = [{ id: 'c1', name: 'call_agent', arguments: {} }];
  const result = { callId: 'c1', name: 'call_agent', text: 'Error: it was stopped', isError: true };
  const asks = aTurn({ answer: { calls }, plans: [plan] });
  const reads = aTurn({ number: 2, received: [{ role: 'tool', results: [result] }] });
  const ends: [RunEnd, Turn[]][] = [
    [{ status: 'succeeded' }, [asks, reads]],
    // It did not come to reading the result.
    [{ status: 'budget_exceeded', exceeded: 'budget exceeded' }, [asks]],
  ];
  test.each(ends)('is closed although its tree has ended as %o', async (end, turns) => {
    const { kept, sweep, statuses } = await openLossy([top, kid], { [kid.execution]: { status: 'ABORTED' } });
    for (const turn of turns) await kept.saveTurn(top.id, turn);
    await closeRun(top, turns, end, { store: kept, now: () => NOW });
    await sweep(100_000);
    expect(await statuses()).toEqual({ top: [end.status, undefined], kid: ['stopped', STOPPED] });
  });

  test('is closed although its caller has answered, and the tree with it', async () => {
    const grandchild = { ...aSubAgent(kid, { agent: 'leaf' }), execution: `${EXECUTIONS}leaf` };
    const { kept, sweep, statuses } = await openLossy([top, kid, grandchild], {
      [grandchild.execution]: { status: 'ABORTED' },
    });
    for (const run of [kid, top]) {
      const turns = [asks, aTurn({ number: 2 })];
      for (const turn of turns) await kept.saveTurn(run.id, turn);
      await closeRun(run, turns, { status: 'succeeded' }, { store: kept, now: () => NOW });
    }
    await sweep(100_000);
    expect(await statuses()).toEqual({
      top: ['succeeded', undefined],
      kid: ['succeeded', undefined],
      leaf: ['stopped', STOPPED],
    });
  });
});

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

test('a run with much time left is asked for once in each hour, and closed if its execution has ended unnoticed', async () => {
  const patient: Run = { ...top, timeout: seconds(172_800) };
  const ends: Record<string, ExecutionEnd> = {};
  const { sweep, statuses, asked } = await openLossy([patient], ends);
  const hour = async (number: number) => {
    for (let tick = 0; tick < 12; tick++) await sweep(3600 * number + 300 * tick + 7);
  };
  await hour(0);
  await hour(1);
  expect(asked).toEqual([top.execution, top.execution]);
  ends[top.execution] = { status: 'ABORTED', cause: 'enough' };
  await hour(2);
  expect(await statuses()).toEqual({ top: ['stopped', 'enough'] });
  expect(asked).toHaveLength(3);
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

test.each([
  ['whose end was lost', 'running', { status: 'ABORTED' }],
  ['that has ended', 'stopped', undefined],
] as const)(
  'executions below an agent %s are stopped, even if the sweep that closes their records dies behind that',
  async (_, status, end) => {
    const failure = { error: 'Stopped', message: 'enough' };
    const ended: Run = { ...top, status, ...(status === 'stopped' && { failure }) };
    const fork = aFork(top, { execution: `${EXECUTIONS}fork` });
    const ends: Record<string, ExecutionEnd> = end === undefined ? {} : { [top.execution]: end };
    const { sweep, statuses, halted } = await openLossy([fork, ended], ends, 1);
    await expect(sweep(1000)).rejects.toThrow('the sweep dies');
    await sweep(1300);
    expect(halted).toContain(fork.execution);
    expect((await statuses())['top']?.[0]).toBe('stopped');
  },
);

test.each([
  ['left alone before the record of that says so', 'Stopped', 'running', 0],
  ['ended where that was killed', KILLED, 'stopped', 1],
])('what a redriven agent has begun again is %s', async (_, error, status, warnings) => {
  const ended: Run = { ...top, status: 'stopped', failure: { error, message: 'enough' } };
  const again: Run = { ...kid, holder: 2, parentHolder: 2 };
  const leaf = { ...aSubAgent(again, { agent: 'leaf' }), path: `${kid.path}_t1c1`, parentHolder: 1 };
  const { kept, sweep, events } = await openLossy([again, leaf, ended], {});
  await sweep(1);
  const left = (await kept.tree(top.id)).map((run) => [run.agent, run.status]);
  expect(Object.fromEntries(left)).toEqual({ top: 'stopped', kid: status, leaf: status });
  expect(events.filter(({ type }) => type === 'warning')).toHaveLength(warnings);
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

test.each([1, 2])(
  'an answer about the text of turn %d, which is none yet, wakes who waits for it',
  async (turn) => {
    const { kept, sweep, woken } = await openLossy([top], {});
    const at = { run: top.id, turn, call: 0 };
    const question = { ...at, root: top.id, agent: 'top', question: 'Allow it?', askedAt: top.startedAt };
    if (turn > 1) await kept.saveTurn(top.id, aTurn());
    await kept.withholdTurn(top.id, aTurn({ number: turn }));
    await kept.saveAnswerWait(at, { token: 'token', until: 0 });
    await sweep(1);
    expect(woken).toEqual([]);
    await kept.saveAnswer(question, { text: 'approve', decision: 'approve', at: top.startedAt });
    await sweep(1);
    expect(woken).toEqual([['token', { approved: true }]]);
  },
);

test.each(['idle', 'succeeded', 'failed', 'stopped'] as const)(
  'a message of a person that did not reach a run which is %s brings it back, once',
  async (status) => {
    const failure = { error: 'AgentError', message: 'no' };
    const isDead = status === 'failed' || status === 'stopped';
    const resting: Run = { ...top, status, endedAt: top.startedAt, ...(isDead && { failure }) };
    const fork = aFork(resting, { execution: `${EXECUTIONS}fork` });
    const { kept, sweep, started } = await openLossy([{ ...top, status: 'succeeded' }, fork], {});
    await kept.saveOpened(top.id, anOpened());
    await sweep(1000);
    await leaveMessage({ run: fork.id, text: 'go on' }, { store: kept, now: () => NOW });
    await sweep(1001);
    expect(started).toEqual([`${fork.id}-r2`]);
    await kept.updateRun(fork.id, (run) => ({ ...reopened(run, NOW), holder: 2, execution: 'its second' }));
    await kept.saveTurn(fork.id, aTurn({ told: (await kept.mails(fork.id)).map(({ id }) => id) }));
    await kept.updateRun(fork.id, (run) => ({
      ...run,
      status: 'idle',
      endedAt: new Date(NOW).toISOString(),
    }));
    await sweep(1500);
    expect(started).toHaveLength(1);
    expect(await listed(kept)).toEqual([]);
  },
);

test('a message that did not reach an idle agent brings it back, although its tree has reached its budget since', async () => {
  const fork = aFork({ ...top, status: 'idle' }, { execution: `${EXECUTIONS}fork` });
  const { kept, sweep, started } = await openLossy([top, fork], {});
  await kept.saveOpened(top.id, anOpened());
  await leaveMessage({ run: fork.id, text: 'go on' }, { store: kept, now: () => NOW });
  const end: RunEnd = { status: 'budget_exceeded', exceeded: 'budget exceeded' };
  await closeRun(top, [], end, { store: kept, now: () => NOW });
  await sweep(4000);
  expect(started).toEqual([`${fork.id}-r2`]);
});

test.each(['succeeded', 'budget_exceeded'] as const)(
  'a message of an agent that did not reach another one, which is %s, brings that back, once',
  async (status) => {
    const fork = aFork(top, { execution: `${EXECUTIONS}fork`, status, endedAt: top.startedAt });
    const { kept, sweep, started } = await openLossy([{ ...top, timeout: seconds(7200) }, fork], {});
    await kept.saveOpened(top.id, anOpened());
    const mail = { from: top.id, fromName: 'top', body: 'look' };
    await putMail(fork, { ...mail, sentAt: new Date(NOW).toISOString() }, undefined, kept);
    await sweep(3601);
    expect(started).toEqual([`${fork.id}-r2`]);
    await kept.updateRun(fork.id, (run) => ({ ...reopened(run, NOW), holder: 2, execution: 'its second' }));
    const exceeded = { status: 'budget_exceeded', exceeded: 'budget exceeded' } as const;
    await kept.updateRun(fork.id, (run) => ({
      ...run,
      ...exceeded,
      endedAt: new Date(NOW + 1_000).toISOString(),
    }));
    await sweep(4000);
    expect(started).toHaveLength(1);
  },
);

test('an agent that has answered before a person could have it ended is not ended when it goes on', async () => {
  const fork = aFork(top, { execution: `${EXECUTIONS}fork` });
  const { kept, sweep } = await openLossy([{ ...top, timeout: seconds(7200) }, fork], {});
  await kept.updateRun(fork.id, (run) => ({ ...run, isToBeKilled: true }));
  await kept.updateRun(fork.id, (run) => ({ ...run, status: 'succeeded', endedAt: top.startedAt }));
  const claim = { holder: 2, execution: `${EXECUTIONS}fork-r2`, isWoken: true, isForPerson: true };
  const again = await kept.run(fork.id);
  await holdRun(again ?? fork, claim, undefined, { store: kept, now: () => NOW });
  await sweep(1000);
  expect((await kept.run(fork.id))?.status).toBe('running');
});

test('an idle agent that a person wants to be ended, of which the event was lost, is ended', async () => {
  const fork = aFork({ ...top, status: 'idle' }, { execution: '' });
  const { kept, sweep } = await openLossy([{ ...top, status: 'succeeded' }, fork], {});
  await sweep(1000);
  const asked = await kept.updateRun(fork.id, (run) => ({ ...run, isToBeKilled: true }));
  await kept.listAsOpen(asked ?? fork);
  await sweep(1300);
  expect(await kept.run(fork.id)).toMatchObject({ status: 'stopped', failure: { error: KILLED } });
  expect(await listed(kept)).toEqual([]);
});

test('a sweep whose time is over is gone on with by the next one, which begins at the newest tree where none is left', async () => {
  const tops = Array.from({ length: 20 }, (_, index) => {
    const id = newRunId('top', NOW - 1000 * index);
    return aRun({ id, root: id, execution: EXECUTIONS + id, timeout: seconds(60), startedAt: top.startedAt });
  });
  const { kept } = await openLossy(tops, {});
  const overdue = NOW + 3_600_000;
  const swept: string[][] = [];
  const notes: (string | undefined)[] = [];
  const sweep = async () => {
    let left = 8;
    const over = new AbortController();
    const asked: string[] = [];
    let noted: string | undefined;
    const reach = { over: over.signal, note: async (last?: string) => void (noted = last) };
    const ports = {
      ...NOTHING_RUNS,
      store: kept,
      live: { tell: () => {} },
      now: () => overdue,
      endOf: async (execution: string) => {
        left -= 1;
        if (left === 0) over.abort();
        asked.push(execution.slice(EXECUTIONS.length));
        return undefined;
      },
    };
    await sweepTrees(await kept.openTrees(notes.at(-1)), ports, reach);
    notes.push(noted);
    swept.push(asked);
  };
  for (let times = 0; times < 4; times++) await sweep();
  expect(swept.slice(0, 3).flat()).toEqual(tops.map(({ id }) => id));
  expect(notes).toEqual([swept[0]?.at(-1), swept[1]?.at(-1), undefined, swept[0]?.at(-1)]);
  expect(swept[3]).toEqual(swept[0]);
});

test('a tree of which a text is gone is told of, and keeps no older one from being swept', async () => {
  const [table, blobs] = [createMemoryTable(), createMemoryBlobs()];
  const open = () => createRunStore(table, createDocuments(table, blobs));
  const writing = open();
  const [damaged, ended] = [1, 2].map((age) => {
    const id = newRunId('top', NOW - age);
    return aRun({ ...top, id, root: id, execution: EXECUTIONS + id });
  });
  assert(damaged && ended);
  const fork = aFork(damaged, { execution: `${EXECUTIONS}fork`, status: 'idle', endedAt: top.startedAt });
  for (const run of [ended, damaged, fork]) await keepRun(writing, run);
  await writing.saveOpened(fork.id, anOpened());
  await writing.saveTurn(fork.id, aTurn({ answer: { text: 'long '.repeat(20_000) } }));
  await leaveMessage({ run: fork.id, text: 'go on' }, { store: writing, now: () => NOW });
  await writing.updateRun(damaged.id, (run) => ({ ...run, status: 'succeeded', endedAt: top.startedAt }));
  await blobs.deleteBelow?.(`run/${fork.id}`);
  const store = open();
  const sweeping = sweepTrees(await store.openTrees(), {
    ...NOTHING_RUNS,
    store,
    live: { tell: () => {} },
    now: () => NOW + 7_200_000,
    endOf: async () => ({ status: 'ABORTED', cause: 'enough' }),
  });
  await expect(sweeping).rejects.toThrow('1 tree could not be swept: blob');
  expect(await store.run(ended.id)).toMatchObject({ status: 'stopped', failure: { message: 'enough' } });
});

test('a sweep that trees keep at work until its function ends has noted where the next one goes on', async () => {
  const tops = Array.from({ length: 9 }, (_, index) => {
    const id = newRunId('top', NOW - 1000 * index);
    return aRun({ id, root: id, execution: EXECUTIONS + id, timeout: seconds(60), startedAt: top.startedAt });
  });
  const { kept } = await openLossy(tops, {});
  const over = new AbortController();
  const begun: string[] = [];
  const noted = await new Promise((resolve) => {
    const ports = {
      ...NOTHING_RUNS,
      store: kept,
      live: { tell: () => {} },
      now: () => NOW + 3_600_000,
      endOf: async (execution: string) => {
        begun.push(execution.slice(EXECUTIONS.length));
        if (begun.length === 5) over.abort();
        return new Promise<undefined>(() => {});
      },
    };
    const reach = { over: over.signal, note: async (last?: string) => resolve(last) };
    void kept.openTrees().then((trees) => sweepTrees(trees, ports, reach));
  });
  expect([begun, noted]).toEqual([tops.slice(0, 5).map(({ id }) => id), tops[4]?.id]);
});

test('where nothing is under way, a sweep reads the list of open trees, and the shards of limits per day', async () => {
  const { kept, sweep, units } = await openLossy([], {});
  await keepRun(kept, { ...top, status: 'succeeded', endedAt: top.startedAt });
  await sweep(1000);
  units.read = 0;
  await sweep(2000);
  expect(units.read).toBe(1 + SHARDS);
});

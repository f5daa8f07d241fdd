import { type Seconds, millis, seconds } from '../../../src/core/records/times.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { goOn, resumeRun } from '../../../src/core/lifecycle/resume.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { AlreadyStartedError, type Executions } from '../../../src/core/machine/executions.ts';
import type { Json } from '../../../src/json.ts';
import { FORMAT } from '../../../src/core/machine/format.ts';
import { ConfigError } from '../../../src/errors.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { pauseFor } from '../../../src/core/records/clock.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { Death, mortal, type Life } from '../../fixtures/mortal.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { aFork, aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';

const TOP = 'top-00000000000000';
const KID = 'kid-00000000000000-t1c1';
const arn = (name: string) => `arn:aws:states:us-east-1:123456789012:execution:cadre:${name}`;
const NOW = Date.parse('2026-01-01T00:01:00.000Z');

const running = aRun({ model: 'offline/extractive', execution: arn(TOP) });
const failed: Run = {
  ...running,
  status: 'failed',
  failure: { error: 'ModelError', message: 'server: no' },
  endedAt: '2026-01-01T00:00:05.000Z',
};
const kid = aSubAgent(running, { execution: arn(KID) });

/** A store with these runs, and executions of which these run; what is done to them is written down. */
async function stage(runs: Run[], live: string[] = [], start = (_name: string) => {}) {
  const { runs: store, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  for (const run of runs) await keepRun(store, run);
  const done: [string, Json][] = [];
  const executions: Executions = {
    async start(name, input) {
      start(name);
      done.push([`start ${name}`, input]);
      return arn(name);
    },
    isRunning: async (execution) => live.includes(execution),
    async stop(execution, cause) {
      done.push([`stop ${execution}`, cause]);
    },
  };
  const ports = { store, executions, now: () => NOW };
  return {
    store,
    done,
    resume: (run: Run, timeout?: Seconds) => resumeRun(run, { timeout }, ports),
    goOn: (root: string) => goOn(root, ports),
  };
}

const carried = (run: string) => ({
  name: 'ConfigError',
  message: `run "${run}" is running; wait for it, or stop it first`,
});

describe('a run that is resumed', () => {
  test('is carried by its next execution at once, in the time that is asked for', async () => {
    const { store, done, resume } = await stage([failed]);
    const resumed = await resume(failed, seconds(7));
    expect(resumed).not.toHaveProperty('failure');
    expect(resumed).toMatchObject({
      ...running,
      holder: 2,
      execution: arn(`${TOP}-r2`),
      resumedAt: '2026-01-01T00:01:00.000Z',
      workedMs: 5000,
    });
    expect(await store.run(TOP)).toEqual(resumed);
    expect(done).toEqual([
      [`start ${TOP}-r2`, { v: FORMAT, agent: 'top', run: TOP, holder: 2, depth: 0, timeout: 7 }],
    ]);
  });

  test('has all of its patience again, and loses no question that is asked while it is resumed', async () => {
    const { store, resume } = await stage([failed], [], () => {
      asking = store.changeClock(TOP, (clock) => clock && pauseFor(clock, 'fork t1c1', NOW));
    });
    let asking: Promise<unknown> | undefined;
    const used = { patience: millis(60_000), paused: millis(50_000), since: NOW - 9_000, open: ['old t1c1'] };
    await store.changeClock(TOP, () => used);
    await resume(failed);
    await asking;
    expect(await store.clock(TOP)).toEqual({
      patience: 60_000,
      paused: 0,
      since: NOW,
      open: ['fork t1c1'],
      resumedAs: 2,
    });
  });

  test('has what is left of its tree stopped first', async () => {
    const ended = { ...kid, id: `${KID}_t1c1`, path: 't1c1_t1c1', status: 'succeeded' as const };
    const gone = { ...kid, id: 'kid-00000000000000-t1c2', path: 't1c2', execution: arn('gone') };
    const { done, resume } = await stage([failed, kid, ended, gone], [kid.execution, ended.execution]);
    await resume(failed);
    expect(done.map(([deed]) => deed)).toEqual([`stop ${kid.execution}`, `start ${TOP}-r2`]);
  });

  test('goes on when its record says that it runs, and its execution is gone', async () => {
    const { done, resume } = await stage([running]);
    expect(await resume(running)).toMatchObject({ status: 'running', holder: 2 });
    expect(done.map(([deed]) => deed)).toEqual([`start ${TOP}-r2`]);
  });
});

describe('a run goes on when the process that resumed it died at any operation', () => {
  /** The fate of the execution that it started, if it came to that. */
  const fates = ['goes on', 'ends before it can carry the run', 'ends so, and the store is told'] as const;

  /** @returns the rest in the end: the record, and the executions that run; undefined where nothing died any more */
  async function resumeTwice(life: Life, fate: (typeof fates)[number]) {
    const table = createMemoryTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    for (const run of [failed, kid]) await keepRun(store, run);
    const statuses = new Map([[KID, 'RUNNING']]);
    const nameOf = (execution: string) => execution.slice(arn('').length);
    const executions: Executions = {
      async start(name) {
        const status = statuses.get(name);
        if (status !== undefined && status !== 'RUNNING') {
          throw new AlreadyStartedError(`execution "${name}" was started before`, { execution: arn(name) });
        }
        statuses.set(name, 'RUNNING');
        return arn(name);
      },
      isRunning: async (execution) => statuses.get(nameOf(execution)) === 'RUNNING',
      stop: async (execution) => void statuses.set(nameOf(execution), 'ABORTED'),
    };
    const now = () => NOW;
    const dying = { store: mortal(store, life), executions: mortal(executions, life), now };
    const isDead = await resumeRun(failed, {}, dying).then(
      () => false,
      (thrown: unknown) => thrown instanceof Death,
    );
    if (!isDead) return undefined;
    const name = `${TOP}-r2`;
    if (fate !== 'goes on' && statuses.has(name)) {
      statuses.set(name, 'FAILED');
      const detail = { executionArn: arn(name), name, status: 'FAILED', error: 'X', cause: '' };
      if (fate !== 'ends before it can carry the run') {
        await settleRun({ detail }, { ...NOTHING_RUNS, store, now });
      }
    }
    const left = (await store.run(TOP)) ?? failed;
    await resumeRun(left, {}, { store, executions, now }).catch((thrown: unknown) => {
      // The first one is carrying it, and this one finds that it does.
      if (!(thrown instanceof ConfigError)) throw thrown;
    });
    const { status, execution } = (await store.run(TOP)) ?? failed;
    const live = [...statuses].flatMap(([one, state]) => (state === 'RUNNING' ? arn(one) : []));
    return { status, execution, live };
  }

  test.each(fates)('and the execution that it started %s', async (fate) => {
    for (const when of ['before', 'after'] as const) {
      for (let at = 0; ; at++) {
        const left = await resumeTwice({ operations: 0, dies: { at, when } }, fate);
        if (left === undefined) {
          expect(at).toBeGreaterThan(5);
          break;
        }
        expect({ when, at, ...left }).toEqual({
          when,
          at,
          status: 'running',
          execution: left.execution,
          live: [left.execution],
        });
      }
    }
  });
});

describe('a run is not resumed', () => {
  test('while its execution runs', async () => {
    const { done, resume } = await stage([running, kid], [running.execution, kid.execution]);
    await expect(resume(running)).rejects.toMatchObject(carried(TOP));
    expect(done).toEqual([]);
  });

  test('when another process has taken it up since it was read, whose sub-agents are left alone', async () => {
    const taken = { ...running, holder: 2, execution: arn(`${TOP}-r2`) };
    const { done, resume } = await stage([taken, kid], [kid.execution]);
    await expect(resume(failed)).rejects.toMatchObject(carried(TOP));
    expect(done).toEqual([]);
  });

  test.each([
    ['another process', {}],
    ['this one', { execution: arn(`${TOP}-r2`) }],
  ])('when its next execution is started at the same moment, and %s carries it out', async (_, started) => {
    const { store, resume } = await stage([failed], Object.values(started), (name) => {
      throw new AlreadyStartedError(`execution "${name}" was started before`, started);
    });
    await expect(resume(failed)).rejects.toMatchObject(carried(TOP));
    expect(await store.run(TOP)).toEqual(failed);
  });
});

describe('a run that has its answer', () => {
  const AT = '2026-01-01T00:00:05.000Z';
  const answered: Run = { ...running, status: 'succeeded', endedAt: AT };
  const failure = { error: 'Stopped', message: 'enough' };
  const forkAt = (path: string, more: Partial<Run> = {}) =>
    aFork(running, { path, execution: arn(path), status: 'stopped', failure, endedAt: AT, ...more });

  test('is resumed for those below it that were stopped before they answered a person, and for nobody else', async () => {
    const owed = forkAt('t1c1', { isForPerson: true });
    const other = forkAt('t1c2');
    const { store, done, resume } = await stage([answered, owed, other]);
    expect((await resume(answered)).execution).toBe(arn(`${owed.id}-r2`));
    expect(done.map(([what]) => what)).toEqual([`start ${owed.id}-r2`]);
    expect([await store.run(TOP), (await store.run(other.id))?.status]).toEqual([answered, 'stopped']);
  });

  test('is refused where nothing is left to do', async () => {
    const { done, resume } = await stage([answered, forkAt('t1c2')]);
    await expect(resume(answered)).rejects.toEqual(
      new ConfigError(`run "${TOP}" already has an answer: its status is succeeded`),
    );
    expect(done).toEqual([]);
  });
});

test('a run that was redriven is stopped before it is resumed', async () => {
  const { done, resume } = await stage([failed], [failed.execution]);
  await resume(failed);
  expect(done.map(([what]) => what)).toEqual([`stop ${failed.execution}`, `start ${TOP}-r2`]);
  expect(done[0]?.[1]).toBe(`run "${TOP}" is resumed`);
});

describe('a tree without a carrier', () => {
  test('is left to the process that carries it on at the same moment', async () => {
    const { goOn } = await stage([running], [], () => {
      throw new AlreadyStartedError('started before');
    });
    expect(await goOn(TOP)).toBeUndefined();
  });

  test('is none where any of it is at work, and then goes on for messages alone', async () => {
    const answered: Run = { ...running, status: 'succeeded', endedAt: '2026-01-01T00:00:05.000Z' };
    const [one, other] = ['t1c1', 't1c2'].map((path) => aFork(running, { path, execution: arn(path) }));
    if (one === undefined || other === undefined) throw new Error('there are two');
    const carriedOn = await stage([answered, one, other], [one.execution]);
    expect([await carriedOn.goOn(TOP), carriedOn.done]).toEqual([undefined, []]);
    const left = await stage([answered, one, other]);
    expect(await left.goOn(TOP)).toBe(arn(`${one.id}-r2`));
    expect(left.done.map(([what]) => what)).toEqual([`start ${one.id}-r2`, `start ${other.id}-r2`]);
    expect(await left.goOn('none-00000000000000')).toBeUndefined();
  });

  test('does not go on in silence where anything else stands in the way', async () => {
    const { goOn } = await stage([running], [], () => {
      throw new ConfigError('no access');
    });
    await expect(goOn(TOP)).rejects.toEqual(new ConfigError('no access'));
  });
});

describe('the end of an execution', () => {
  const end = { status: 'ABORTED', cause: 'enough' };
  test.each([
    ['its input names', { name: 'chosen-by-somebody', input: JSON.stringify({ agent: 'top', run: TOP }) }],
    ['its name is', { name: TOP }],
    ['its name begins with, as that of a later one', { name: `${TOP}-r2`, input: null }],
    ['its name begins with, as that of one begun by a redrive', { name: `${TOP}-r2-d3` }],
    ['its name is where its input is no such thing', { name: TOP, input: '{"run": "../x"}' }],
  ])('closes the run that %s', async (_, detail) => {
    const { store } = await stage([running]);
    const event = { detail: { executionArn: running.execution, ...end, ...detail } };
    expect(await settleRun(event, { ...NOTHING_RUNS, store, now: () => NOW })).toBe(true);
    expect(await store.run(TOP)).toMatchObject({ status: 'stopped', failure: { message: 'enough' } });
  });
});

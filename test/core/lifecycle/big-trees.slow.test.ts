import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { STOPPED } from '../../../src/core/records/closing-reason.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { assertAnyLeft, goOn, resumeRun } from '../../../src/core/lifecycle/resume.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { BIG_TREE_NOW, openBigTree } from '../../account/big-tree.ts';
import { controlPlaneOf, DOCUMENTED } from '../../../simulate/world/quotas.ts';
import { createWorldTime } from '../../../simulate/world/time.ts';

test('a tree of 1,001 runs that is stopped is closed for less than 5,000 read units', async () => {
  const { open, kept, top, tree, units, ended } = await openBigTree(25, 39);
  expect(tree).toHaveLength(1001);
  const stopped: string[] = [];
  const executions = { ...NOTHING_RUNS.executions, stop: async (arn: string) => void stopped.push(arn) };
  const ports = () => ({ ...NOTHING_RUNS, executions, store: open(), now: () => BIG_TREE_NOW });
  // The service stops those that wait for each other, and each end is told of.
  for (const run of tree) expect(await settleRun(ended(run), ports())).toBe(true);
  expect(
    new Set((await kept.tree(top.id)).map(({ status, failure }) => `${status}: ${failure?.message}`)),
  ).toEqual(new Set([`stopped: ${STOPPED}`]));
  expect(stopped).toEqual([]);
  expect(units.read).toBeLessThan(5_000);
});

test('stopping 1,600 executions converges within the attempts that a function has', async () => {
  const { open, kept, top, tree, ended } = await openBigTree(40, 40, true);
  expect(tree).toHaveLength(1641);
  const time = createWorldTime(0);
  const stopped = new Set<string>();
  let described = 0;
  const limited = controlPlaneOf(
    DOCUMENTED,
    time,
  )({
    ...NOTHING_RUNS,
    executions: {
      ...NOTHING_RUNS.executions,
      isRunning: async () => (described += 1) > 0,
      stop: async (arn) => void stopped.add(arn),
    },
  });
  let attempts = 0;
  for (const pauseSeconds of [0, 60, 120]) {
    await time.goOn({ to: time.now() + 1000 * pauseSeconds });
    attempts += 1;
    // A function lasts for 55 seconds.
    const until = time.now() + 55_000;
    const stop = async (arn: string, cause: string) => {
      await limited.executions.stop(arn, cause);
      if (time.now() > until)
        throw new StoreUnavailableError('the function has lasted for as long as it may');
    };
    const ports = { ...limited, executions: { ...limited.executions, stop }, store: open() };
    const isDone = await time
      .letPass(settleRun(ended(top), { ...ports, now: () => BIG_TREE_NOW }))
      .catch((thrown: unknown) => {
        if (!(thrown instanceof StoreUnavailableError)) throw thrown;
        return false;
      });
    if (isDone) break;
  }
  expect(attempts).toBeLessThanOrEqual(3);
  expect(stopped.size).toBe(1640);
  expect((await kept.tree(top.id)).every(({ status }) => status === 'stopped')).toBe(true);
  expect(described).toBe(0);
});

test('a tree of 621 runs whose executions have ended is resumed within the quotas of an account', async () => {
  const { open, top, tree } = await openBigTree(20, 30, true);
  const { time, executions, started, described } = limitedExecutions(() => false);
  await time.letPass(resumeRun(top, {}, { executions, store: open(), now: () => BIG_TREE_NOW }));
  expect(started).toHaveLength(tree.length);
  // Each is asked for once.
  expect(described.toSorted()).toEqual(tree.map(({ execution }) => execution).toSorted());
});

test('no more executions are asked for once one is found that decides', async () => {
  const { open, top } = await openBigTree(5, 5, true);
  const ports = { store: open(), now: () => BIG_TREE_NOW };
  const live = limitedExecutions(() => true);
  expect(await live.time.letPass(goOn(top.id, { ...ports, executions: live.executions }))).toBeUndefined();
  expect(live.described.length).toBeLessThanOrEqual(5);
  const ended = limitedExecutions(() => false);
  await ended.time.letPass(
    assertAnyLeft({ ...top, status: 'succeeded' }, { ...ports, executions: ended.executions }),
  );
  expect(ended.described.length).toBeLessThanOrEqual(5);
});

/** Executions within the quotas that are documented. @returns those that were started and asked for, too */
function limitedExecutions(isRunning: () => boolean) {
  const time = createWorldTime(0);
  const started: string[] = [];
  const described: string[] = [];
  const { executions } = controlPlaneOf(
    DOCUMENTED,
    time,
  )({
    ...NOTHING_RUNS,
    executions: {
      ...NOTHING_RUNS.executions,
      async start(name) {
        started.push(name);
        return name;
      },
      async isRunning(execution) {
        described.push(execution);
        return isRunning();
      },
    },
  });
  return { time, executions, started, described };
}

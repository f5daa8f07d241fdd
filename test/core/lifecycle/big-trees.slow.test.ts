import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { STOPPED } from '../../../src/core/records/closing-reason.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { BIG_TREE_NOW, openBigTree } from '../../account/big-tree.ts';
import { controlPlaneOf, DOCUMENTED } from '../../account/quotas.ts';
import { virtualTime } from '../../account/virtual-time.ts';

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
  const time = virtualTime();
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
    time.pass(1000 * pauseSeconds);
    attempts += 1;
    // A function lasts for 55 seconds.
    const until = time.now() + 55_000;
    const stop = async (arn: string, cause: string) => {
      await limited.executions.stop(arn, cause);
      if (time.now() > until)
        throw new StoreUnavailableError('the function has lasted for as long as it may');
    };
    const ports = { ...limited, executions: { ...limited.executions, stop }, store: open() };
    const isDone = await settleRun(ended(top), { ...ports, now: () => BIG_TREE_NOW }).catch(
      (thrown: unknown) => {
        if (!(thrown instanceof StoreUnavailableError)) throw thrown;
        return false;
      },
    );
    if (isDone) break;
  }
  expect(attempts).toBeLessThanOrEqual(3);
  expect(stopped.size).toBe(1640);
  expect((await kept.tree(top.id)).every(({ status }) => status === 'stopped')).toBe(true);
  expect(described).toBe(0);
});

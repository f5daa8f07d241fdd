import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { STOPPED } from '../../../src/core/records/closing-reason.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { meteredTable } from '../../account/metered-table.ts';
import { stoppingQuota } from '../../account/stopping-quota.ts';
import { aFork, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const EXECUTIONS = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-test:';
const top = aRun({ execution: `${EXECUTIONS}top-00000000000000` });
const NOW = Date.parse('2026-01-01T00:01:00.000Z');
const calls = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** An account with a tree in which every run is at work: some at the top, and so many below each of these. */
async function openTree(wide: number, below: number, isForked = false) {
  const table = createMemoryTable();
  const { metered, units } = meteredTable(table);
  const open = () => createRunStore(metered, createDocuments(metered, NO_BLOBS), undefined, () => NOW);
  const kept = createRunStore(table, createDocuments(table, NO_BLOBS), undefined, () => NOW);
  const child = (of: Run, call: number): Run => {
    const path = [of.path, `t1c${call}`].filter(Boolean).join('_');
    const made = isForked ? aFork(of, { path }) : aSubAgent(of, { path });
    const id = isForked ? `top-00000000000000-${path}` : made.id;
    return { ...made, id, execution: EXECUTIONS + id, parent: { run: of.id, turn: 1, call } };
  };
  const middle = calls(wide).map((call) => child(top, call));
  const leaves = middle.flatMap((run) => calls(below).map((call) => child(run, call)));
  const tree = [top, ...middle, ...leaves];
  const task =
    'look at the part of the material that you are given, and say what it is about, in a few words';
  for (const run of tree) {
    await keepRun(kept, { ...run, task });
    const others = below === 0 && run !== top ? 0 : run === top ? wide : leaves.includes(run) ? 0 : below;
    const plan = isForked
      ? { kind: 'start' as const, agent: 'top', name: 'x', task }
      : { kind: 'delegate' as const, agent: 'kid', task, context: '' };
    const made = calls(others).map((call) => ({ id: `c${call}`, name: 'x', arguments: {} }));
    await kept.saveTurn(run.id, aTurn({ answer: { calls: made }, plans: made.map(() => plan) }));
  }
  const ended = ({ id, execution }: Run) => ({
    detail: { executionArn: execution, name: id, input: JSON.stringify({ run: id }), status: 'ABORTED' },
  });
  return { open, kept, tree, middle, leaves, units, ended };
}

test('a tree of 1,001 runs that is stopped is closed for less than 5,000 read units', async () => {
  const { open, kept, tree, units, ended } = await openTree(25, 39);
  expect(tree).toHaveLength(1001);
  const stopped: string[] = [];
  const executions = { ...NOTHING_RUNS.executions, stop: async (arn: string) => void stopped.push(arn) };
  const ports = () => ({ ...NOTHING_RUNS, executions, store: open(), now: () => NOW });
  // The service stops those that wait for each other, and each end is told of.
  for (const run of tree) expect(await settleRun(ended(run), ports())).toBe(true);
  expect(
    new Set((await kept.tree(top.id)).map(({ status, failure }) => `${status}: ${failure?.message}`)),
  ).toEqual(new Set([`stopped: ${STOPPED}`]));
  expect(stopped).toEqual([]);
  expect(units.read).toBeLessThan(5_000);
});

test('stopping 1,600 executions converges within the attempts that a function has', async () => {
  const { open, kept, tree, ended } = await openTree(40, 40, true);
  expect(tree).toHaveLength(1641);
  const quota = stoppingQuota();
  const ports = () => ({ ...NOTHING_RUNS, executions: quota.executions, store: open(), now: () => NOW });
  let attempts = 0;
  for (const pauseSeconds of [0, 60, 120]) {
    quota.pass(pauseSeconds);
    attempts += 1;
    // A function lasts for 55 seconds.
    quota.lastFor(55);
    const isDone = await settleRun(ended(top), ports()).catch((thrown: unknown) => {
      if (!(thrown instanceof StoreUnavailableError)) throw thrown;
      return false;
    });
    if (isDone) break;
  }
  expect(attempts).toBeLessThanOrEqual(3);
  expect(quota.stopped.size).toBe(1640);
  expect((await kept.tree(top.id)).every(({ status }) => status === 'stopped')).toBe(true);
  expect(quota.described).toBe(0);
});

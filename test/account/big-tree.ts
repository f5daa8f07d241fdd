import type { Run } from '../../src/core/records/run.ts';
import { createDocuments } from '../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../src/places/store/memory-table.ts';
import { createRunStore } from '../../src/places/store/runs.ts';
import { aFork, aRun, aSubAgent, aTurn, keepRun } from '../fixtures/records.ts';
import { meteredTable } from './metered-table.ts';

const EXECUTIONS = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-test:';
const top = aRun({ execution: `${EXECUTIONS}top-00000000000000` });
export const BIG_TREE_NOW = Date.parse('2026-01-01T00:01:00.000Z');
const calls = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** An account with a tree in which every run is at work: some at the top, and so many below each of these. */
export async function openBigTree(
  wide: number,
  below: number,
  isForked = false,
  table = createMemoryTable(),
) {
  const { metered, units } = meteredTable(table);
  const open = () =>
    createRunStore(metered, createDocuments(metered, NO_BLOBS), undefined, () => BIG_TREE_NOW);
  const kept = createRunStore(table, createDocuments(table, NO_BLOBS), undefined, () => BIG_TREE_NOW);
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
  return { open, table, kept, top, tree, units, ended };
}

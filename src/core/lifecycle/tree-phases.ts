import type { Instant } from '../records/times.ts';
import { AT_WORK, isIn, phaseOf, UNDER_WAY, type Phase } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import { isBeside, type Run } from '../records/run.ts';

/**
 * The phase of each run of a tree, by its id, with what it waits for: the waits that its newest turn has begun and that
 * are not over yet.
 * @param tree as it was read last
 */
export async function treePhases(
  root: string,
  tree: readonly Run[],
  now: Instant,
  store: Pick<RunStore, 'openQuestions' | 'mailWaits' | 'newestTurn' | 'opened'>,
): Promise<Map<string, Phase>> {
  const [asking, waiting] = await Promise.all([askingRuns(root, store), store.mailWaits(root)]);

  async function phase(run: Run): Promise<Phase> {
    if (!isIn(AT_WORK, run)) return phaseOf(run);
    const { id } = run;
    const newest = (await store.newestTurn(id))?.number ?? 0;
    if (newest === 0 && (await store.opened(id)) === undefined) return phaseOf(run, { isOpened: false });
    if (asking.has(id)) return phaseOf(run, { waitsFor: 'person' });
    const waits = waiting.some(
      (wait) => wait.run === id && wait.at?.turn === newest && (wait.until ?? 0) > now,
    );
    if (waits) return phaseOf(run, { waitsFor: 'mail' });
    const isCalled = ({ parent }: Run) => parent?.run === id && parent.turn === newest;
    const calls = tree.some((one) => isCalled(one) && !isBeside(one) && isIn(UNDER_WAY, one));
    return phaseOf(run, calls ? { waitsFor: 'agents' } : {});
  }

  return new Map(await Promise.all(tree.map(async (run) => [run.id, await phase(run)] as const)));
}

/** The runs of a tree that wait for an answer of a person. */
async function askingRuns(root: string, store: Pick<RunStore, 'openQuestions'>): Promise<Set<string>> {
  const asking = new Set<string>();
  for await (const { question } of store.openQuestions(root)) asking.add(question.run);
  return asking;
}

import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';

/** Whether a tree has a run that is carried, or should be. */
export function isOpenTree(tree: readonly Run[]): boolean {
  return tree.some((run) => isIn(UNDER_WAY, run));
}

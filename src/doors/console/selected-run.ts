import type { RunOverview } from '../../core/reports/run-schemas.ts';
import type { TreeStore } from './tree/tree-store.ts';

/** The props that every part of the selected run is given. */
export interface SelectedRun {
  /** The run as it is at this moment: another object whenever anything of it has changed. */
  run: RunOverview;
  /** The tree that it is part of, with `node(id)` for others of it. */
  tree: TreeStore;
}

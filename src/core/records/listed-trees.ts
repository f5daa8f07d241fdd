import type { Run, RunStatus } from './run.ts';
import type { SpendingSum } from './spending.ts';
import type { Tags } from './tags.ts';
import type { Instant } from './times.ts';
import type { Person } from './owner.ts';

/** Which trees are wanted, by the run at the top. */
export interface WantedTrees {
  limit: number;
  /** Only trees older than that of this run. */
  after?: string | undefined;
  agent?: string | undefined;
  owner?: Person | undefined;
  /** All of them. */
  tags?: Tags | undefined;
  /** Begun then or later. */
  since?: Instant | undefined;
  /** Begun before that. */
  until?: Instant | undefined;
  /** As its record has it. */
  statuses?: readonly RunStatus[] | undefined;
  /** Each of them is found in some run of the tree. */
  terms?: readonly string[] | undefined;
  /** Whether a tree that is all of that is wanted. */
  accepts?: ((top: Run) => Promise<boolean> | boolean) | undefined;
}

/** A tree that is wanted. */
export interface ListedTree {
  top: Run;
  /** The run that most of the terms were found in; absent: none were looked for. */
  found?: string;
}

/** Trees in a list, newest first. */
export interface TreePage {
  trees: ListedTree[];
  /** The run behind which to go on: there may be more, or so much was looked through. Absent: these are all. */
  next?: string;
}

/** What was spent on some days. */
export interface SpendingPage {
  days: { day: string; spendings: SpendingSum[] }[];
  /** The day to go on with, an earlier one; absent: these are all. */
  next?: string;
}

import { treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { defined } from '../../defined.ts';
import { toStored } from './stored.ts';
import type { Key, Replacement } from './table.ts';
import { ownerOf } from '../../core/records/owner.ts';

/** Entries by which runs are found and counted. They follow from the records, which are right where they differ. */

/** The tops of all trees, in order of time. */
export const TREES = 'runs';
/** The trees with a run under way, and some that have come to rest. */
export const OPEN_TREES = 'open';
/** The trees whose tops did not succeed when they last ended. */
export const UNSUCCESSFUL = 'unsuccessful';
/** The words of each run that has ended or rests. */
export const WORDS = 'words';
/** What each such run spent, by the day. */
export const SPENT = 'spent';
/** The same of all runs of a day that is over, added up. */
export const SPENT_IN_ALL = 'spent-in-all';

/** A tree in a list, with what most lists are narrowed by; entries of earlier releases name the run alone. */
export interface TreeEntry extends Partial<Pick<Run, 'agent' | 'issuer' | 'owner' | 'tags' | 'status'>> {
  run: string;
}

/** The words of a run. */
export interface WordsEntry {
  run: string;
  words: string;
}

/** The first tree of which there are such entries: lists of open and failed trees are complete from there on. */
export const FIRST_TREE: Key = { partition: 'index', sort: 'first' };

/** @param run any of the tree */
export function openEntry(run: Run): Required<Replacement> {
  if (run.parent === undefined) return treeEntry(OPEN_TREES, run);
  return { key: { partition: OPEN_TREES, sort: treeKey(run.id) }, value: { run: run.root } };
}

/** How a tree is listed in one of the partitions above. */
export function treeEntry(partition: string, run: Run): Required<Replacement> {
  const { id, agent, tags, status } = run;
  const entry = {
    run: id,
    agent,
    ...ownerOf(run),
    ...defined({ tags }),
    ...(partition === UNSUCCESSFUL && { status }),
  };
  return { key: { partition, sort: treeKey(id) }, value: toStored(entry) };
}

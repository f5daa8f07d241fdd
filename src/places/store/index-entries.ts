import { treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { defined } from '../../defined.ts';
import { OPEN_TREES, TREES, TREES_BY_AGENT, TREES_BY_STATUS, UNSUCCESSFUL } from './partitions.ts';
import { toStored } from './stored.ts';
import type { Key, Replacement } from './table.ts';
import { ownerOf } from '../../core/records/owner.ts';

/** Entries by which runs are found and counted. They follow from the records, which are right if the two differ. */

/** What all runs of a day that is over have spent. */
export const SPENT_IN_ALL = 'spent-in-all';

/** A tree in a list, with what most lists are narrowed by; entries of earlier releases name the run alone. */
export interface TreeEntry extends Partial<Pick<Run, 'agent' | 'issuer' | 'owner' | 'tags' | 'status'>> {
  run: string;
}

/** An entry as it is written. */
type Entry = Required<Pick<Replacement, 'key' | 'value'>>;

/** The words of a run. */
export interface WordsEntry {
  run: string;
  words: string;
}

/** The first tree of which there are such entries: lists of open and failed trees are complete from there on. */
export const FIRST_TREE: Key = { partition: 'index', sort: 'first' };

/** The first tree that has an entry by its agent, likewise. */
export const FIRST_BY_AGENT: Key = { partition: 'index', sort: 'first-by-agent' };

/** The first tree that has an entry by how it ended, if it ended without success. */
export const FIRST_BY_STATUS: Key = { partition: 'index', sort: 'first-by-status' };

/** How trees end without success. */
export const UNSUCCESSFUL_ENDS: ReadonlySet<Run['status']> = new Set([
  'budget_exceeded',
  'failed',
  'timed_out',
  'stopped',
]);

/** @param run any of the tree */
export function openEntry(run: Run): Entry {
  if (run.parent === undefined) return treeEntry(OPEN_TREES, run);
  return { key: { partition: OPEN_TREES, sort: treeKey(run.id) }, value: { run: run.root } };
}

/** How a tree is listed in one of the partitions above. */
export function treeEntry(partition: string, run: Run): Entry {
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

/** How the tree of a top is found by its agent. */
export function agentEntry(run: Run): Entry {
  const { value } = treeEntry(TREES, run);
  return { key: { partition: TREES_BY_AGENT, sort: `${agentPrefix(run.agent)}${treeKey(run.id)}` }, value };
}

/** The entry of a tree that has ended without success. A tree that continues and ends otherwise keeps it. */
export function endEntries(run: Run): Entry[] {
  const entry = treeEntry(UNSUCCESSFUL, run);
  return [entry, { ...entry, key: statusKey(run.status, run) }];
}

/** Under which a tree is found by how it ended. */
export function statusKey(status: Run['status'], { id }: Pick<Run, 'id'>): Key {
  return { partition: TREES_BY_STATUS, sort: `${statusPrefix(status)}${treeKey(id)}` };
}

/** How the keys of entries by status begin. */
export function statusPrefix(status: Run['status']): string {
  return `${status}#`;
}

/** How the keys of entries by agent begin. A run that failed for the name of its agent may have any text there. */
export function agentPrefix(agent: string): string {
  return `${agent.slice(0, 64).replaceAll(/[^\w-]/g, '_')}#`;
}

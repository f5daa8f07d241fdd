// The partitions of entries by which runs are found and counted. Runs of all trees write to each, at its end.

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

const LISTS: ReadonlySet<string> = new Set([TREES, OPEN_TREES, UNSUCCESSFUL, WORDS, SPENT]);

export function isList(partition: string): boolean {
  return LISTS.has(partition);
}

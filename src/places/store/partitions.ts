// The partitions of which a deployment knows: those that are lists, and those that its permissions tell apart.

/** The tops of all trees, in order of time. */
export const TREES = 'runs';
/** The same by the agents of the tops. */
export const TREES_BY_AGENT = 'trees-by-agent';
/** The trees with a run under way, and some that have come to rest. */
export const OPEN_TREES = 'open';
/** The trees whose tops did not succeed when they last ended. */
export const UNSUCCESSFUL = 'unsuccessful';
/** The same by how they ended. */
export const TREES_BY_STATUS = 'trees-by-status';
/** The words of each run that has ended or rests. */
export const WORDS = 'words';
/** What each such run spent, by the day. */
export const SPENT = 'spent';

/** How the partitions of what belongs to one run begin. */
export const RUNS = 'run#';
/** The questions that are open. */
export const OPEN_QUESTIONS = 'questions';
/** How the partitions of notes of those who watch begin. */
export const WATCHED = 'watch#';

/** How the partitions begin of what keys are bound to, those of callers and our own. */
export const KEYS = 'key#';
/** How the partitions of memories begin: the account's, and those of owners. */
export const MEMORIES = { ofAccount: 'memory#', ofOwners: 'memory@' } as const;

/** How the partitions of sign-ins to servers begin: an owner's go on with its key, and the environment's do not. */
export const LOGINS = 'login@';

const LISTS: ReadonlySet<string> = new Set([
  TREES,
  TREES_BY_AGENT,
  OPEN_TREES,
  UNSUCCESSFUL,
  TREES_BY_STATUS,
  WORDS,
  SPENT,
]);

/** Whether runs of all trees write to the partition, each at its end. */
export function isList(partition: string): boolean {
  return LISTS.has(partition);
}

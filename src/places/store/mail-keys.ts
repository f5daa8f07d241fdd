import type { Key } from './table.ts';

/** How the sort keys of messages begin. */
export const MAIL = 'mail#';

/** An id is a time as a number to base 36; two messages at the same moment differ in the random rest. */
export const TIME_CHARACTERS = 9;
export const RANDOM_CHARACTERS = 8;

export function mailKey(run: string, id: string): Key {
  return { partition: `run#${run}`, sort: `${MAIL}${id}` };
}

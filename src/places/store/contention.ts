import { setTimeout as delay } from 'node:timers/promises';

/**
 * How often a write is attempted if others are quicker. All calls of a turn may write the same item at once, and so may
 * 40 agents that ask questions or need budget.
 */
export const MAX_ATTEMPTS = 100;

/** Waits grow fourfold up to the longest, each a random part of it, so that branches get out of each other's way. */
const SHORTEST_WAIT_MS = 32;
const LONGEST_WAIT_MS = 1_000;

/** How long a writer that was too late leaves an item alone, by the number of its attempts. */
export type BackOff = (attempts: number) => Promise<void>;

export function backOff(attempts: number): Promise<void> {
  return delay(Math.random() * Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 4 ** attempts));
}

import type { Use } from './use.ts';

/**
 * State transitions of Standard executions that an account may make in a second, unless more was asked for; new
 * accounts have less (Step Functions, "Quotas related to state throttling").
 */
export const TRANSITIONS_PER_SECOND = { largest: 5_000, others: 500 };

/** Those in which an account may make the most. */
export const LARGEST_REGIONS = ['us-east-1', 'us-west-2', 'eu-west-1'];

/** How many trees of this use may begin in a second, on average, in the largest Regions and in all others. */
export function runsPerSecond({ transitions }: Pick<Use, 'transitions'>): {
  largest: number;
  others: number;
} {
  const { largest, others } = TRANSITIONS_PER_SECOND;
  return { largest: largest / transitions, others: others / transitions };
}

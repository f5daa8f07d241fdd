/** The smallest limit of dollars: anything smaller could round to 0, which means no limit. */
export const LEAST_USD = 0.000001;

/** Dollars in billionths. */
export function toNanoUsd(dollars: number): number {
  return Math.round(dollars * 1e9);
}

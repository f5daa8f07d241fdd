import type { Run } from './run.ts';

/** Why an answer is not the whole of what its model could have said, although nothing failed. */
export const INCOMPLETE = {
  max_tokens: 'the answer was cut at its limit of tokens',
  refusal: 'the model refused to answer',
} as const;
export type Incomplete = keyof typeof INCOMPLETE;

/** Why a run has no answer, or only a part of one, as its parent's model reads it; "" if the answer is whole. */
export function closingReason({
  status,
  timeout,
  failure,
  exceeded,
  incomplete,
}: Pick<Run, 'timeout' | 'failure' | 'exceeded' | 'incomplete'> & { status: string }): string {
  if (status === 'timed_out') return `timeout after ${timeout}s`;
  return failure?.message ?? exceeded ?? (incomplete === undefined ? '' : INCOMPLETE[incomplete]);
}

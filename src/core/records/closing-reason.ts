import { INCOMPLETE, type Run } from './run.ts';

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

import type { PassedOver, Run } from './run.ts';

/** Why an answer is not the whole of what its model could have said, although nothing failed. */
export const INCOMPLETE = {
  max_tokens: 'the answer was cut at its limit of tokens',
  refusal: 'the model refused to answer',
} as const;
export type Incomplete = keyof typeof INCOMPLETE;

/**
 * Why a run has no answer, only a part of one, or one that it was to go on from, as its parent's model reads it; "" if
 * the answer is whole.
 */
export function closingReason({
  status,
  timeout,
  failure,
  exceeded,
  incomplete,
  passedOver,
}: Pick<Run, 'timeout' | 'failure' | 'exceeded' | 'incomplete' | 'passedOver'> & {
  status: string;
}): string {
  if (status === 'timed_out') return `timeout after ${timeout}s`;
  if (failure !== undefined || exceeded !== undefined) return failure?.message ?? exceeded ?? '';
  const reasons = [
    ...(incomplete === undefined ? [] : [INCOMPLETE[incomplete]]),
    ...(passedOver === undefined ? [] : [passedOverText(passedOver)]),
  ];
  return reasons.join('; ');
}

/** Why an agent did not go on for messages of other agents after its answer. */
export function passedOverText({ reason }: PassedOver): string {
  return `messages of other agents were passed over: ${reason}`;
}

import { INCOMPLETE, type Run } from './run.ts';

/** The reason of a run that was stopped where none is given. */
export const STOPPED = 'it was stopped';

/**
 * Why a run has no answer, a partial one, or one that it was meant to continue from, as its parent's model reads it; ""
 * if the answer is whole.
 */
export function closingReason(
  run: Pick<Run, 'timeout' | 'failure' | 'exceeded' | 'incomplete'> & Resting,
): string {
  const { status, timeout, failure, exceeded, incomplete } = run;
  if (status === 'timed_out') return `timeout after ${timeout}s`;
  const ended = failure?.message ?? exceeded;
  if (ended !== undefined) return ended;
  return [incomplete && INCOMPLETE[incomplete], passedOverText(run)].filter(Boolean).join('; ');
}

interface Resting extends Pick<Run, 'passedOver'> {
  status: string;
}

/** Why a run rests with its answer, although messages of other agents came; undefined if none did, or it is at work. */
export function passedOverText({ status, passedOver }: Resting): string | undefined {
  if (passedOver === undefined || status === 'running') return undefined;
  return `messages of other agents were passed over: ${passedOver.reason}`;
}

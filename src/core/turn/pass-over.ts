import { StoreError, StoreUnavailableError } from '../../errors.ts';
import { OPEN, isIn } from '../records/phase.ts';
import type { Run } from '../records/run.ts';
import { isPassedOver } from '../records/turn.ts';
import type { NextTurn } from './answer-stands.ts';
import type { ClosePorts } from './close.ts';
import { isHeldBy } from './hold.ts';

/** Whether the same turn would fail again. If the store did, or the process is to end, another invocation may make it. */
export function failsForGood(thrown: unknown, signal: AbortSignal): boolean {
  return !signal.aborted && !(thrown instanceof StoreError) && !(thrown instanceof StoreUnavailableError);
}

/**
 * Passes over the messages for which a run has made a turn in vain. Why is noted first: a process that dies before the
 * messages are marked has the turn be tried again.
 */
export async function passOver(
  { run, turns, news }: NextTurn,
  reason: string,
  { store, now }: ClosePorts,
): Promise<void> {
  // Another function has made the turn meanwhile.
  if ((await store.turn(run.id, turns.length + 1)) !== undefined) return;
  const passedOver = { turn: turns.length, at: new Date(now()).toISOString(), reason };
  const note = (current: Run) => {
    // Why it rests has been told.
    const isNoted = current.status === 'idle' && isPassedOver(current, turns);
    return isHeldBy(current, run) && isIn(OPEN, current) && !isNoted ? { ...current, passedOver } : current;
  };
  await store.updateRun(run.id, note, run);
  await Promise.all([...news.ids, ...news.noticed].map((id) => store.markPassedOver(run.id, id)));
}

import { toMillis, type After, type Seconds } from '../records/times.ts';
import { ModelError } from '../../errors.ts';
import { quietText } from '../records/deadline.ts';
import { watchSilence } from '../records/silence.ts';

/**
 * Does work that reports signs of life as it goes, and ends it when there has been none for too long.
 * @param seconds undefined: silence is no reason to end it
 * @param begin is given a signal, and a function to call at every sign of life
 * @param after absent: the system's timers
 * @throws {ModelError} of category `timeout`
 */
export async function untilQuiet<T>(
  seconds: Seconds | undefined,
  outer: AbortSignal,
  begin: (signal: AbortSignal, alive: () => void) => Promise<T>,
  after?: After,
): Promise<T> {
  if (seconds === undefined) return begin(outer, () => {});
  const quiet = new ModelError('timeout', quietText(seconds));
  const watch = watchSilence(outer, toMillis(seconds), () => quiet, after);
  try {
    return await begin(watch.signal, watch.alive);
  } catch (thrown) {
    throw watch.signal.reason === quiet ? quiet : thrown;
  } finally {
    watch.end();
  }
}

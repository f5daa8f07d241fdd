import { ModelError } from '../errors.ts';
import { quietText } from '../runs/deadline.ts';

/**
 * Does work that tells of itself as it goes, and ends it when nothing was heard of it for too long.
 * @param seconds undefined: that is no reason to end it
 * @param begin is handed a signal, and a function to call at every sign of life
 * @throws {ModelError} of category `timeout`
 */
export async function untilQuiet<T>(
  seconds: number | undefined,
  outer: AbortSignal,
  begin: (signal: AbortSignal, alive: () => void) => Promise<T>,
): Promise<T> {
  if (seconds === undefined) return begin(outer, () => {});
  const work = new AbortController();
  const quiet = new ModelError('timeout', quietText(seconds));
  const timer = setTimeout(() => work.abort(quiet), seconds * 1000);
  const stop = () => work.abort(outer.reason);
  outer.addEventListener('abort', stop);
  if (outer.aborted) stop();
  try {
    return await begin(work.signal, () => timer.refresh());
  } catch (thrown) {
    throw work.signal.reason === quiet ? quiet : thrown;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', stop);
  }
}

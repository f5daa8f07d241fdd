import { millis, systemAfter, type After, type Millis } from './times.ts';

/** Gives work up when there has been no sign of life for too long: a request, or a whole sub-agent. */
export interface Watch {
  /** Aborted together with the signal that the watch began with or, after a silence, with the error to throw. */
  signal: AbortSignal;
  /** There was a sign of life: the time begins again. */
  alive(): void;
  /** Only the end of the connection is still expected, which some servers leave open. */
  closing(): void;
  /** Ends the watch; to be called in any case. */
  end(): void;
}

const CLOSING = millis(1_000);

/**
 * @param silenceMs the longest time between two signs of life
 * @param fault makes the error for a longer silence
 * @param after absent: the system's timers
 */
export function watchSilence(
  outer: AbortSignal,
  silenceMs: Millis,
  fault: () => Error,
  after: After = systemAfter,
): Watch {
  // By hand, as in deadline.ts: `AbortSignal.any` holds its sources weakly on Node.js 20.
  const work = new AbortController();
  const stop = () => work.abort(outer.reason);
  if (outer.aborted) stop();
  outer.addEventListener('abort', stop);
  const giveUp = () => work.abort(fault());
  let cancel = after(silenceMs, giveUp);
  const wait = (ms: Millis) => {
    cancel();
    cancel = after(ms, giveUp);
  };
  return {
    signal: work.signal,
    alive: () => wait(silenceMs),
    closing: () => wait(CLOSING),
    end() {
      cancel();
      outer.removeEventListener('abort', stop);
    },
  };
}

import { ModelError } from '../errors.ts';
import type { TokenUsage } from '../runs/message.ts';

/** A request that is given up when its server shows no sign of life for too long. */
export interface Watch {
  /** Aborted with the signal that the watch began with, or with what is to be thrown about the silence. */
  signal: AbortSignal;
  /** The server has shown that it is at work: the time begins again. */
  alive(): void;
  /** Nothing more is expected but the end of the connection, which some servers leave open. */
  closing(): void;
  /** Ends the watch; to be called in any case. */
  end(): void;
}

const CLOSING_MS = 1_000;

/** How long a server may show nothing where nobody says otherwise, in milliseconds. */
export const DEFAULT_SILENCE_MS = 120_000;

/**
 * @param silenceMs the longest time between two signs of life
 * @param fault what a request is to fail with that came upon a longer one
 */
export function watchSilence(outer: AbortSignal, silenceMs: number, fault: () => Error): Watch {
  // By hand, as in deadline.ts: `AbortSignal.any` holds its sources weakly on Node.js 20.
  const work = new AbortController();
  const stop = () => work.abort(outer.reason);
  if (outer.aborted) stop();
  outer.addEventListener('abort', stop);
  let timer = setTimeout(() => work.abort(fault()), silenceMs);
  return {
    signal: work.signal,
    alive: () => void timer.refresh(),
    closing() {
      clearTimeout(timer);
      timer = setTimeout(() => work.abort(fault()), CLOSING_MS);
    },
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', stop);
    },
  };
}

/** @param spent what is to be paid for what the server did before it fell silent */
export function silenceFault(server: string, silenceMs: number, spent: TokenUsage | 'unknown'): ModelError {
  return new ModelError('timeout', `no sign of life from ${server} for ${silenceMs / 1000} s`, { spent });
}

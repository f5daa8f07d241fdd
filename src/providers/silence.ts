import { millis } from '../core/records/times.ts';
import { ModelError } from '../errors.ts';
import type { TokenUsage } from '../token-usage.ts';
import { watchSilence, type Watch } from '../core/records/silence.ts';

/** The default time for which a server may send nothing, in milliseconds. */
const DEFAULT_SILENCE_MS = 120_000;

/**
 * Watches a request to a model's API, which fails with a `ModelError` of category `timeout` after a silence.
 * @param server as errors name it
 * @param spent the cost of the server's work before it fell silent
 */
export function watchServer(
  server: string,
  { silenceMs = DEFAULT_SILENCE_MS }: { silenceMs?: number | undefined },
  outer: AbortSignal,
  spent: () => TokenUsage | 'unknown',
): Watch {
  const text = `no sign of life from ${server} for ${silenceMs / 1000} s`;
  return watchSilence(outer, millis(silenceMs), () => new ModelError('timeout', text, { spent: spent() }));
}

import { ModelError } from '../errors.ts';
import type { Model, ModelRequest } from '../models/model.ts';

/** How long to wait for a count: it is asked for to do without a guess, not at any price. */
const MOST_MS = 10_000;

/**
 * What a prompt comes to at most by the provider's own count; undefined where it has none to give, now or ever.
 * @throws the signal's reason if the run was stopped
 */
export async function countedByProvider(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const counted = await model.countTokens?.(
      request,
      AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]),
    );
    return counted === undefined ? undefined : atMostCounted(counted);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof ModelError) return undefined;
    throw thrown;
  }
}

/** A provider's own count, which Anthropic calls an estimate: it may be off by a little. */
function atMostCounted(tokens: number): number {
  return Math.ceil(tokens * 1.02) + 16;
}

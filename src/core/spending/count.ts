import { ModelError } from '../../errors.ts';
import type { Model, ModelRequest } from '../model/model.ts';

/** How long to wait for a count, which is worth only so much: an estimate does, too. */
const MOST_MS = 10_000;

/**
 * The most tokens that a prompt has by the provider's own count; undefined if it gives none, now or ever.
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

/** A margin on the provider's own count, which Anthropic calls an estimate: it may be off by a little. */
function atMostCounted(tokens: number): number {
  return Math.ceil(tokens * 1.02) + 16;
}

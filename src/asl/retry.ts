import type { FallibleState, Retrier, State } from './definition.ts';
import { matchesError, type StateFailure } from './failure.ts';
import type { JsonObject } from './json-value.ts';
import type { Exit, Visit } from './visit.ts';

/**
 * Runs a state that can fail: again as its Retry has it, and on to where its Catch leads.
 * @throws StateFailure if neither takes the failure
 */
export async function withRetryAndCatch(
  visit: Visit,
  state: FallibleState & State,
  attempt: () => Promise<Exit>,
): Promise<Exit> {
  const retries = new Map<Retrier, number>();
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      const failure = visit.toFailure(thrown);
      if (await mayRetry(visit, state, failure, retries)) continue;
      // A Task has recorded its own failure, and what ends the execution is told by its last event alone.
      if (state.type !== 'Task' && failure.errorName !== 'States.Runtime') {
        visit.thread.record(`${state.type}StateFailed`);
      }
      const catcher = state.catch.find(({ errors }) => matchesError(errors, failure));
      if (catcher === undefined) throw failure;
      const errorOutput = toErrorOutput(failure);
      return await visit.exit(catcher, errorOutput, { errorOutput });
    }
  }
}

/** Waits as the first retrier has it that lists the failure, if that has attempts left. */
async function mayRetry(
  visit: Visit,
  state: FallibleState,
  failure: StateFailure,
  retries: Map<Retrier, number>,
): Promise<boolean> {
  const retrier = state.retry.find(({ errors }) => matchesError(errors, failure));
  if (retrier === undefined) return false;
  const done = retries.get(retrier) ?? 0;
  if (done >= retrier.maxAttempts) return false;
  retries.set(retrier, done + 1);
  visit.retryCount++;
  const { thread } = visit;
  const delay = 1000 * retryDelaySeconds(retrier, done, thread.execution.environment.random());
  await thread.cancellation.wait<void>((resolve) =>
    thread.execution.environment.clock.after(delay, () => resolve()),
  );
  return true;
}

/**
 * Seconds before a retry: the interval, multiplied by the backoff rate for each retry before, up to the greatest
 * delay; with full jitter anything from none of it to all.
 * @param random from 0 up to 1
 */
function retryDelaySeconds(retrier: Retrier, retriesBefore: number, random: number): number {
  const grown = retrier.intervalSeconds * retrier.backoffRate ** retriesBefore;
  const delay = Math.min(grown, retrier.maxDelaySeconds ?? Infinity);
  return retrier.fullJitter ? delay * random : delay;
}

function toErrorOutput({ errorName = '', causeText = '' }: StateFailure): JsonObject {
  return { Error: errorName, Cause: causeText };
}

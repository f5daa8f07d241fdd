import { setImmediate } from 'node:timers/promises';
import type { LambdaAnswer } from '../asl/executions/ports.ts';
import { messageOf } from '../errors.ts';
import type { Json } from '../json.ts';

/** One function of the machine, as Lambda would run it. */
export type LocalFunction = (event: Json, signal: AbortSignal) => Promise<unknown>;

/** Calls functions and answers as Lambda does: what they throw is a payload, marked as a failure. */
export function createInvoke(
  functions: ReadonlyMap<string, LocalFunction>,
): (name: string, payload: Json, signal: AbortSignal) => Promise<LambdaAnswer> {
  const pause = createPause();
  return async (name, payload, signal) => {
    const run = functions.get(name);
    if (run === undefined) throw new TypeError(`the definition names an unknown function: ${name}`);
    try {
      const result = await run(payload, signal);
      const pausing = pause();
      if (pausing !== undefined) await pausing;
      return { payload: result };
    } catch (thrown) {
      const errorType = thrown instanceof Error ? thrown.name : 'Error';
      return { payload: { errorType, errorMessage: messageOf(thrown) }, functionError: 'Unhandled' };
    }
  };
}

/** How long models that answer at once may keep timers, signals and what is drawn waiting. */
const MAX_BUSY_MS = 10;

/** Gives everything else in the process its turn, if it has had none for some time. */
function createPause(): () => Promise<void> | undefined {
  let last = performance.now();
  const pause = async () => {
    await setImmediate();
    last = performance.now();
  };
  return () => (performance.now() - last < MAX_BUSY_MS ? undefined : pause());
}

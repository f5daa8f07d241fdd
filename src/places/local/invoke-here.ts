import { setImmediate } from 'node:timers/promises';
import type { LambdaAnswer } from '../../asl/executions/ports.ts';
import { messageOf } from '../../errors.ts';
import type { Json } from '../../json.ts';

/** One function of the machine, as Lambda would run it. */
export type LocalFunction = (event: Json, signal: AbortSignal) => Promise<unknown>;

export interface Invocations {
  /** Calls a function and answers as Lambda does: what it throws is a payload, marked as a failure. */
  invoke(name: string, payload: Json, signal: AbortSignal): Promise<LambdaAnswer>;
  /** Waits until no function is at work. */
  rest(): Promise<void>;
}

/** Calls the functions in this process. */
export function createInvocations(functions: ReadonlyMap<string, LocalFunction>): Invocations {
  const pause = createPause();
  const waiting: (() => void)[] = [];
  let atWork = 0;
  return {
    async invoke(name, payload, signal) {
      const run = functions.get(name);
      if (run === undefined) throw new TypeError(`the definition names an unknown function: ${name}`);
      atWork += 1;
      try {
        const result = await run(payload, signal);
        const pausing = pause();
        if (pausing !== undefined) await pausing;
        return { payload: result };
      } catch (thrown) {
        const errorType = thrown instanceof Error ? thrown.name : 'Error';
        return { payload: { errorType, errorMessage: messageOf(thrown) }, functionError: 'Unhandled' };
      } finally {
        atWork -= 1;
        if (atWork === 0) for (const goOn of waiting.splice(0)) goOn();
      }
    },
    rest: () => (atWork === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  };
}

/** How long models that answer at once may keep timers, signals and drawing waiting. */
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

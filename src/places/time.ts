import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, type Clock } from '../asl/executions/ports.ts';

/** Time as runs of this process see it, so that tests need not wait. */
export interface LocalTime extends Clock {
  /** Waits, or rejects once the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemTime: LocalTime = {
  ...systemClock,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
};

import type { ScheduleClock } from '../../../src/authoring/schedule/follow-schedules.ts';

export interface ManualClock extends ScheduleClock {
  /** Waits until the follower sleeps, and gives the time at which it wants to wake. */
  asleep(): Promise<number>;
  /** Moves on, and wakes who wanted to. */
  moveTo(time: number): void;
}

/** A clock that stands still until it is moved, for one sleeper. */
export function manualClock(start: number): ManualClock {
  let now = start;
  let sleeper: { time: number; wake: () => void } | undefined;
  let onSleep = () => {};
  return {
    now: () => now,
    sleepUntil(time, signal) {
      return new Promise((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          sleeper = undefined;
          resolve();
        };
        if (signal.aborted) return wake();
        signal.addEventListener('abort', wake, { once: true });
        sleeper = { time, wake };
        onSleep();
      });
    },
    async asleep() {
      while (sleeper === undefined) await new Promise<void>((resolve) => (onSleep = resolve));
      return sleeper.time;
    },
    moveTo(time) {
      now = time;
      if (sleeper !== undefined && sleeper.time <= now) sleeper.wake();
    },
  };
}

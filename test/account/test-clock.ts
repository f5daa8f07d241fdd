import type { Clock } from '../../src/asl/executions/ports.ts';

/** A clock that a test moves. */
export interface TestClock extends Clock {
  /** Moves on to the next timer, if it is due within so many milliseconds. @returns whether there was one */
  advanceWithin(milliseconds: number): boolean;
  moveTo(time: number): void;
  clear(): void;
}

export function createTestClock(start: number): TestClock {
  let now = start;
  let timers: { at: number; callback: () => void }[] = [];
  const next = (until: number) =>
    timers.filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at)[0];
  const ring = (timer: (typeof timers)[number]) => {
    timers = timers.filter((other) => other !== timer);
    now = Math.max(now, timer.at);
    timer.callback();
  };
  return {
    now: () => now,
    after(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    // Time moves on where a test says so.
    during: (work) => work,
    moveTo: (time) => void (now = Math.max(now, time)),
    advanceWithin(milliseconds) {
      const timer = next(now + milliseconds);
      if (timer !== undefined) ring(timer);
      return timer !== undefined;
    },
    clear: () => void (timers = []),
  };
}

import { systemClock, type Clock } from '../../src/asl/executions/ports.ts';

/** The time of this machine, which can be moved on: what was to happen by then happens at once. */
export interface MovableClock extends Clock {
  /** Milliseconds by which it is ahead of this machine. */
  ahead(): number;
  skip(milliseconds: number): void;
}

export function movableClock(): MovableClock {
  let ahead = 0;
  const now = () => systemClock.now() + ahead;
  /** The timers that are still to fire, each set again when the clock is moved. */
  const timers = new Set<{ set: () => void }>();

  return {
    now,
    after(milliseconds, callback) {
      const due = now() + milliseconds;
      let cancel = () => {};
      const ring = () => {
        timers.delete(timer);
        callback();
      };
      const timer = {
        set() {
          cancel();
          cancel = systemClock.after(Math.max(0, due - now()), ring);
        },
      };
      timer.set();
      timers.add(timer);
      return () => {
        timers.delete(timer);
        cancel();
      };
    },
    during: systemClock.during,
    ahead: () => ahead,
    skip(milliseconds) {
      ahead += milliseconds;
      for (const timer of timers) timer.set();
    },
  };
}

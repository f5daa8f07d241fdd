import { createTestClock } from './test-clock.ts';
import type { Time } from './quotas.ts';

/** Time that goes by with pauses alone: those that are made at once share it. */
export function virtualTime(): Time & { pass(milliseconds: number): void } {
  const clock = createTestClock(0);
  return {
    now: clock.now,
    pass: (milliseconds) => clock.moveTo(clock.now() + milliseconds),
    pause: (milliseconds) =>
      new Promise((go) => {
        clock.after(milliseconds, go);
        // When nothing else can go on.
        setImmediate(() => clock.advanceWithin(Infinity));
      }),
  };
}

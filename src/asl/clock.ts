/** Time as the interpreter sees it, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once after `milliseconds`; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The longest that setTimeout can wait, about 24.8 days; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = setTimeout(
        () => (left > MAX_TIMER_MS ? arm(left - MAX_TIMER_MS) : callback()),
        Math.min(left, MAX_TIMER_MS),
      );
    };
    arm(milliseconds);
    return () => clearTimeout(timer);
  },
};

import { setImmediate } from 'node:timers/promises';
import type { LocalTime } from '../time.ts';

interface Timer {
  at: number;
  callback: () => void;
}

export interface VirtualTime extends LocalTime {
  /** Waits for work, and lets time go by for it. */
  letPass<T>(work: Promise<T>): Promise<T>;
}

/**
 * Time that goes by only as long as work is waited for with `letPass`: where nothing else is left to do, and then at
 * once. Work that takes time of its own is marked by `during`.
 * @param start milliseconds since 1970
 */
export async function openVirtualTime(start: number): Promise<VirtualTime> {
  // Not left to the first run that needs it: time would go by while it is loaded.
  await import('../../asl/expressions/evaluator.ts');
  const timers = new Set<Timer>();
  let now = start;
  let waiting = 0;
  let busy = 0;
  let isWatching = false;

  const standsStill = () => waiting === 0 || busy > 0;

  /** Goes on to the next moment that something waits for, as often as nothing else is going on. */
  async function watch(): Promise<void> {
    if (isWatching) return;
    isWatching = true;
    while (timers.size > 0 && !standsStill()) {
      if (!(await isQuiet())) continue;
      const [first, ...others] = timers;
      if (first === undefined) break;
      const next = others.reduce((one, other) => (other.at < one.at ? other : one), first);
      timers.delete(next);
      now = Math.max(now, next.at);
      next.callback();
    }
    isWatching = false;
  }

  /** The consequences of one step begin within a few rounds of the event loop, if not at once. */
  async function isQuiet(): Promise<boolean> {
    for (let round = 0; round < ROUNDS; round++) {
      if (standsStill()) return false;
      await setImmediate();
    }
    return !standsStill();
  }

  function after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: now + milliseconds, callback };
    timers.add(timer);
    void watch();
    return () => void timers.delete(timer);
  }

  return {
    now: () => now,
    after,
    async letPass(work) {
      waiting += 1;
      void watch();
      try {
        return await work;
      } finally {
        waiting -= 1;
      }
    },
    async during(work) {
      busy += 1;
      try {
        return await work;
      } finally {
        busy -= 1;
        void watch();
      }
    },
    async sleep(milliseconds, signal) {
      signal.throwIfAborted();
      busy -= 1;
      let stop = () => {};
      try {
        await new Promise<void>((resolve, reject) => {
          const cancel = after(milliseconds, resolve);
          stop = () => {
            cancel();
            reject(signal.reason);
          };
          signal.addEventListener('abort', stop);
        });
      } finally {
        signal.removeEventListener('abort', stop);
        busy += 1;
      }
    },
  };
}

const ROUNDS = 3;

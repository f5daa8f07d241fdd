import { VirtualClock } from '../../asl/executions/virtual-clock.ts';
import type { LocalTime } from '../time.ts';

export interface VirtualTime extends LocalTime {
  /** Waits for work, and lets time go by for it. */
  letPass<T>(work: Promise<T>): Promise<T>;
}

/**
 * Time that goes by only as long as work is waited for with `letPass`: where nothing else is left to do, and then at
 * once.
 * @param start milliseconds since 1970
 */
export function createVirtualTime(start: number): VirtualTime {
  const clock = new VirtualClock(start);
  let waiting = 0;
  clock.hold();

  return {
    now: () => clock.now(),
    after: (milliseconds, callback) => clock.after(milliseconds, callback),
    during: (work) => clock.during(work),
    async letPass(work) {
      waiting += 1;
      if (waiting === 1) clock.release();
      try {
        return await work;
      } finally {
        waiting -= 1;
        if (waiting === 0) clock.hold();
      }
    },
    // Who sleeps is at work otherwise, and holds the clock.
    async sleep(milliseconds, signal) {
      signal.throwIfAborted();
      clock.release();
      let stop = () => {};
      try {
        await new Promise<void>((resolve, reject) => {
          const cancel = clock.after(milliseconds, resolve);
          stop = () => {
            cancel();
            reject(signal.reason);
          };
          signal.addEventListener('abort', stop);
        });
      } finally {
        signal.removeEventListener('abort', stop);
        clock.hold();
      }
    },
  };
}

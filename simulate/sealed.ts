import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import timers from 'node:timers/promises';
import { randomOf } from '../test/fixtures/random-of.ts';
import type { Choices } from './choices.ts';
import type { WorldTime } from './world/time.ts';

/**
 * Takes real time and real randomness away from everything in this process, for good: instead, callers get those of the
 * world that is being played.
 */
export interface Seal {
  /** From now on, time and randomness are those of this world. Ids are not choices: they only have to differ. */
  to(time: WorldTime, choices: Choices): void;
  /** Milliseconds of real time, for those who measure. */
  realNow(): number;
}

export function seal(): Seal {
  const realNow = performance.now.bind(performance);
  let now = () => 0;
  let after: WorldTime['after'] = () => () => {};
  let fraction = () => 0;
  let ids = 0;
  const bytes = (size: number) => {
    const random = randomOf(ids++);
    return Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
  };
  const uuid = () => {
    const id = (ids++).toString(16).padStart(12, '0');
    return `00000000-0000-4000-8000-${id}` as const;
  };
  Math.random = () => fraction();
  Date.now = () => now();
  performance.now = () => now();
  const int = (least: number, most?: number) => {
    const [from, to] = most === undefined ? [0, least] : [least, most];
    return from + (bytes(6).readUIntBE(0, 6) % (to - from));
  };
  Object.assign(crypto, { randomUUID: uuid, randomBytes: bytes, randomInt: int });
  Object.assign(timers, {
    setTimeout: (milliseconds: number, value: unknown) =>
      new Promise((resolve) => void after(milliseconds, () => resolve(value))),
  });
  AbortSignal.timeout = (milliseconds) => {
    const over = new AbortController();
    after(milliseconds, () => over.abort(new DOMException('the time is up', 'TimeoutError')));
    return over.signal;
  };
  syncBuiltinESMExports();
  Object.assign(globalThis, {
    setTimeout(callback: () => void, milliseconds = 0) {
      const cancel = after(milliseconds, callback);
      const timer = Object.assign(() => cancel(), { ref: () => timer, unref: () => timer });
      return timer;
    },
    clearTimeout: (cancel: (() => void) | undefined) => cancel?.(),
  });
  return {
    to(time, choices) {
      now = time.now;
      after = time.after;
      fraction = choices.fraction;
      ids = 0;
    },
    realNow,
  };
}

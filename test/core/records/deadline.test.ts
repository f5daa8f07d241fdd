import { treeInstant, seconds } from '../../../src/core/records/times.ts';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childDeadline, ownDeadline, untilDeadline } from '../../../src/core/records/deadline.ts';

const running = new AbortController().signal;
const NOW = 1_700_000_000_000;
const within = (ms: number) => ({ until: NOW + ms, seconds: seconds(7), now: NOW });
const LATE = {
  name: 'ModelError',
  category: 'timeout',
  message: 'timeout: no answer within the 7s that the run was given',
};

/** Goes on until its signal is aborted, and keeps nothing of it but the listener. */
function endless(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

test('work ends at the deadline, with the time that the run had in the message', async () => {
  await expect(untilDeadline(within(5), running, endless)).rejects.toMatchObject(LATE);
  await expect(untilDeadline(within(0), running, endless)).rejects.toMatchObject(LATE);
});

test('a deadline holds however much garbage is collected before it', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const works = Array.from({ length: 20 }, () => untilDeadline(within(300), running, endless));
  const ended = Promise.allSettled(works);
  for (let times = 0; times < 2; times++) {
    collect();
    await setImmediate();
  }
  const ends = await ended;
  expect(ends).toMatchObject(ends.map(() => ({ status: 'rejected', reason: LATE })));
});

test('a stop ends work for its own reason, also where the deadline passes before the work has ended', async () => {
  const stop = new AbortController();
  const reason = new Error('stopped by the user');
  const work = untilDeadline(within(5), stop.signal, async (signal) => {
    stop.abort(reason);
    await endless(AbortSignal.timeout(20)).catch(() => {});
    throw signal.reason;
  });
  await expect(work).rejects.toBe(reason);
  await expect(untilDeadline(within(5), stop.signal, endless)).rejects.toBe(reason);
});

test('a deadline beyond the timers of Node.js ends nothing at once', async () => {
  const signal = await untilDeadline(within(2 ** 31 + 5), running, async (given) => {
    await endless(AbortSignal.timeout(5)).catch(() => {});
    return given;
  });
  expect(signal.aborted).toBe(false);
});

test('an exception of the work itself is passed on', async () => {
  const failing = untilDeadline(within(1000), running, () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
});

const START = treeInstant(100_000);
const END = treeInstant(200_000);

describe('the deadline of a child', () => {
  test.each([
    ['its own timeout where that is nearer', [30, 0], 130_000],
    ["its parent's limit for it where that is nearer", [0, 20], 120_000],
    ['what its parent has left, less a margin', [0, 0], 190_000],
    ['never later than its parent can use', [500, 400], 190_000],
  ])('is %s', (_, limits, expected) => {
    expect(ownDeadline(START, childDeadline(START, END), ...limits.map(seconds))).toBe(expected);
  });

  test('counts from its own start on, however late that is', () => {
    expect(ownDeadline(treeInstant(150_000), childDeadline(START, END), seconds(30))).toBe(180_000);
  });

  test('leaves every parent time to answer, five levels down', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 10 ** 9 }),
        fc.array(fc.nat(1000), { minLength: 5, maxLength: 5 }),
        (left, timeouts) => {
          let deadline = treeInstant(left);
          for (const timeout of timeouts) {
            const child = ownDeadline(
              treeInstant(0),
              childDeadline(treeInstant(0), deadline),
              seconds(timeout),
            );
            expect(child).toBeLessThan(deadline);
            expect(child).toBeGreaterThan(0);
            deadline = child;
          }
        },
      ),
    );
  });
});

import { millis, treeInstant, seconds, type Millis } from '../../../src/core/records/times.ts';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { watchSilence } from '../../../src/core/records/silence.ts';
import {
  childDeadline,
  DEFAULT_TIMEOUT,
  isLate,
  isQuiet,
  LONGEST_TIMEOUT,
  ownDeadline,
  quietText,
  secondsUntil,
  TimeUpError,
  toSeconds,
  untilDeadline,
  usualTimeout,
  withinTime,
} from '../../../src/core/records/deadline.ts';

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

/** Work that goes on until its signal is aborted, and the timers that it waits for, which fire when they are told to. */
function timed(lefts: (number | Error)[] | undefined) {
  const waits: (number | 'cancelled')[] = [];
  let fire = () => {};
  const asked = lefts && [...lefts];
  const left = async (): Promise<Millis> => {
    const next = asked?.shift() ?? 0;
    await setImmediate();
    if (next instanceof Error) throw next;
    return millis(next);
  };
  const stop = new AbortController();
  const after = (wait: number, callback: () => void) => {
    waits.push(wait);
    fire = callback;
    return () => void waits.push('cancelled');
  };
  let reason: unknown;
  const work = withinTime(
    millis(7_000),
    stop.signal,
    (signal) => endless(signal).catch((thrown: unknown) => Promise.reject((reason = thrown))),
    { after, ...(asked && { left }) },
  ).catch((thrown: unknown) => thrown);
  return { waits, stop, work, fire: () => fire(), reason: () => reason };
}

const TIME_UP = { name: 'TimeoutError', message: 'the time is up' };

test('work whose time is up is aborted at once where no clock may have stood still', async () => {
  const { waits, work, fire, reason } = timed(undefined);
  fire();
  expect(await work).toEqual(new TimeUpError('the time is up', { cause: reason() }));
  expect([waits, reason()]).toEqual([[7_000, 'cancelled'], expect.objectContaining(TIME_UP)]);
});

test.each<[string, (number | Error)[], number[]]>([
  ['has as much more as is left, and half a second at least', [9_000, 1, 0], [9_000, 500]],
  ['ends where less than nothing is left', [-1], []],
  ['ends where nobody can say what is left', [new Error('no store')], []],
])('work whose time is up %s', async (_, lefts, more) => {
  const { waits, work, fire } = timed(lefts);
  for (const _left of lefts) {
    fire();
    for (let turns = 0; turns < 2; turns++) await setImmediate();
  }
  expect([await work, waits]).toEqual([expect.any(TimeUpError), [7_000, ...more, 'cancelled']]);
});

test('work that has ended waits for nothing more, though it was asked what is left', async () => {
  const { waits, stop, work, fire } = timed([9_000]);
  fire();
  stop.abort(new Error('stopped'));
  expect(await work).toEqual(new Error('stopped'));
  for (let turns = 0; turns < 2; turns++) await setImmediate();
  expect(waits).toEqual([7_000, 'cancelled']);
});

test('work that has ended does not hear of a later stop', async () => {
  const stop = new AbortController();
  const signal = await withinTime(millis(1_000), stop.signal, async (given) => given);
  stop.abort();
  expect(signal.aborted).toBe(false);
});

test('a silence begins anew with each sign of life, is short once only the end is expected, and ends with its watch', () => {
  const waits: unknown[] = [];
  let fire = () => {};
  const after = (wait: number, callback: () => void) => {
    waits.push(wait);
    fire = callback;
    return () => void waits.push('cancelled');
  };
  const fault = () => new Error('silence');
  const outer = new AbortController();
  const watch = watchSilence(outer.signal, millis(9_000), fault, after);
  watch.alive();
  watch.closing();
  expect([waits, watch.signal.aborted]).toEqual([[9_000, 'cancelled', 9_000, 'cancelled', 1_000], false]);
  fire();
  expect(watch.signal.reason).toEqual(new Error('silence'));
  const stopped = watchSilence(outer.signal, millis(9_000), fault, after);
  const ended = watchSilence(outer.signal, millis(9_000), fault, after);
  waits.length = 0;
  ended.end();
  outer.abort(new Error('stopped'));
  expect([waits, stopped.signal.reason, ended.signal.aborted]).toEqual([
    ['cancelled'],
    new Error('stopped'),
    false,
  ]);
  const late = watchSilence(outer.signal, millis(9_000), fault, after);
  expect(late.signal.reason).toEqual(new Error('stopped'));
});

test('times that are set are told from each other, and ends for want of them from others', () => {
  expect([DEFAULT_TIMEOUT, LONGEST_TIMEOUT, usualTimeout('batch')]).toEqual([120, 10 * 86_400, 2 * 86_400]);
  expect([undefined, 'flex'].map(usualTimeout)).toEqual([120, 120]);
  expect([0, 949, 951, 61_000].map((ms) => toSeconds(millis(ms)))).toEqual(['0.0s', '0.9s', '1.0s', '61.0s']);
  const quiet = `timeout: ${quietText(30)}`;
  const other = 'timeout: 30 seconds';
  expect(quiet).toBe('timeout: 30s without a sign of life');
  expect(
    [LATE.message, quiet, other, `${quiet}!`, `a ${LATE.message}`].map((text) => [
      isLate(text),
      isQuiet(text),
    ]),
  ).toEqual([
    [true, false],
    [false, true],
    [false, false],
    [false, false],
    [false, false],
  ]);
  const until = [1, 1_000, 1_001, -5].map((ms) => secondsUntil(treeInstant(9_000 + ms), treeInstant(9_000)));
  expect(until).toEqual([1, 1, 2, 1]);
});

test.each([
  [-5, 0],
  [9, 0],
  [19, 1],
  [99_999, 9_999],
  [100_000, 10_000],
  [200_000, 10_000],
])('of %d ms that are left, a parent keeps %d', (left, margin) => {
  const end = treeInstant(1_000 + left);
  expect(end - childDeadline(treeInstant(1_000), end)).toBe(margin);
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

import { millis } from '../../../src/core/records/times.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  freshClock,
  patienceLeft,
  pausedAt,
  pauseFor,
  resumeAfter,
  setBack,
} from '../../../src/core/records/clock.ts';

/** A question that is asked at a moment and answered at a later one. */
const waits = fc.array(
  fc.tuple(fc.nat(1_000), fc.nat(1_000)).map(([from, length]) => [from, from + length] as const),
  {
    maxLength: 12,
  },
);

/** How many of the milliseconds before `end` are in one of the spans. */
function union(spans: readonly (readonly [number, number])[], end: number): number {
  let covered = 0;
  for (let ms = 0; ms < end; ms++) if (spans.some(([from, to]) => from <= ms && ms < to)) covered += 1;
  return covered;
}

test('a clock stands still for as long as any agent waits, up to its patience, however many wait at once', () => {
  fc.assert(
    fc.property(waits, fc.nat(1_500), fc.nat(2_500), (spans, patience, now) => {
      const events = spans
        .flatMap(([from, to], index) => [
          { at: from, id: `q${index}`, change: pauseFor },
          { at: to, id: `q${index}`, change: resumeAfter },
        ])
        .filter(({ at }) => at <= now)
        // Of a question that is answered at once, the asking comes first.
        .sort(
          (one, other) => one.at - other.at || (one.id === other.id ? (one.change === pauseFor ? -1 : 1) : 0),
        );
      const clock = events.reduce(
        (before, { at, id, change }) => change(before, id, at),
        freshClock(millis(patience)),
      );
      const expected = Math.min(patience, union(spans, now));
      expect(pausedAt(clock, now)).toBe(expected);
      expect(patienceLeft(clock, now)).toBe(patience - expected);
    }),
  );
});

test('a question that is asked or answered twice counts once', () => {
  const asked = pauseFor(freshClock(millis(100)), 'q', 10);
  expect(pauseFor(asked, 'q', 20)).toBe(asked);
  const answered = resumeAfter(asked, 'q', 30);
  expect(answered).toEqual({ patience: 100, paused: 20, open: [] });
  expect(resumeAfter(answered, 'q', 50)).toBe(answered);
});

test('a tree whose clock was never stopped has lost no time', () => {
  expect(pausedAt(undefined, 5)).toBe(0);
});

test('a clock is set back once for each execution that resumes its tree', () => {
  const used = { patience: millis(100), paused: millis(90), since: 5, open: ['q'] };
  const fresh = setBack(used, 2);
  expect(fresh).toEqual({ patience: 100, paused: 0, open: [], resumedAs: 2 });
  const asked = pauseFor(fresh, 'q', 10);
  expect(setBack(asked, 2)).toBe(asked);
  expect(setBack(resumeAfter(asked, 'q', 30), 3)).toEqual({ ...fresh, resumedAs: 3 });
});

import { expect, test } from 'vitest';
import { reopened } from '../../../src/core/records/reopened.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { millis } from '../../../src/core/records/times.ts';
import { aRun } from '../../fixtures/records.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (seconds: number) => new Date(START + 1000 * seconds).toISOString();
const ended = (other: Partial<Run>) =>
  aRun({ status: 'failed', endedAt: at(10), failure: { error: 'x', message: 'y' }, ...other });

test('nothing is left of the end of a run that goes on, and the time between does not count', () => {
  const spans = { exceeded: 'a', stoppedBy: 'ada' };
  expect(reopened(ended(spans), START + 30_000)).toEqual(
    aRun({ resumedAt: at(30), workedMs: millis(10_000), gaps: [['gap', START + 10_000, START + 30_000]] }),
  );
  const again = ended({ resumedAt: at(4), workedMs: millis(3_000), gaps: [['gap', START, START + 4_000]] });
  expect(reopened(again, START + 5_000)).toEqual(
    aRun({
      resumedAt: at(5),
      workedMs: millis(9_000),
      gaps: [
        ['gap', START, START + 4_000],
        // A clock that was set back.
        ['gap', START + 10_000, START + 10_000],
      ],
    }),
  );
});

test('a run that nobody ended has worked until it was last seen', () => {
  const workedMs = (lastSeen?: string, other: Partial<Run> = {}) =>
    reopened(aRun(other), START + 30_000, lastSeen).workedMs;
  expect([
    workedMs(),
    workedMs(at(7)),
    workedMs(at(-7)),
    workedMs(at(7), { resumedAt: at(5) }),
    workedMs(at(3), { resumedAt: at(5) }),
  ]).toEqual([0, 7_000, 0, 2_000, 0]);
  expect(reopened(aRun({ status: 'idle', endedAt: at(2) }), START + 3_000).gaps).toEqual([
    ['idle', START + 2_000, START + 3_000],
  ]);
});

test('of many gaps the shortest is forgotten', () => {
  const gaps = Array.from({ length: 50 }, (_, n): NonNullable<Run['gaps']>[number] => [
    'gap',
    n,
    n + 100 + ((n + 30) % 50),
  ]);
  const long = reopened(ended({ gaps }), START + 30_000).gaps;
  expect(long).toEqual([
    ...gaps.filter(([, from, to]) => to - from !== 100),
    ['gap', START + 10_000, START + 30_000],
  ]);
  const short = reopened(ended({ gaps }), START + 10_050).gaps;
  expect(short).toEqual(gaps);
  expect(reopened(ended({ gaps: gaps.slice(1) }), START + 10_050).gaps).toHaveLength(50);
});

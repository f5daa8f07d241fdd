import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginning, fromCursor, toCursor, type Position } from '../../../src/core/events/positions.ts';
import { cases } from '../../fixtures/cases.ts';

const TOP = 'top-00000000000000';

const whole = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const calls = fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { maxLength: 8 }).map((each) => new Set(each));
const position: fc.Arbitrary<Position> = fc.record({
  turn: fc.nat({ max: 1_000 }),
  told: fc.nat({ max: 4 }),
  begun: calls,
  ended: calls,
  sent: fc.nat({ max: 9 }),
  written: whole,
  askedAt: whole,
  closedBy: fc.option(fc.nat({ max: 1_000 }), { nil: undefined }),
  closedSince: whole,
  wasIdle: fc.boolean(),
  seenAt: whole,
});

/** So many characters of headers are taken in an account (API Gateway, "Quotas"), beside some of other headers. */
const MOST_CHARACTERS = 10_240 - 1_500;

test('a cursor has all of the positions that it was made from', () => {
  const all = fc.array(fc.tuple(fc.string(), position), { maxLength: 120 }).map((each) => new Map(each));
  fc.assert(
    fc.property(all, (positions) => {
      expect(fromCursor(TOP, toCursor(TOP, positions))).toEqual(positions);
    }),
    { numRuns: cases(60) },
  );
});

test('a cursor of a thousand agents that have just ended fits into a header', () => {
  const step = (index: number) => `t1c${1 + (index % 10)}_t2c${1 + (Math.floor(index / 10) % 100)}`;
  const positions = new Map(
    Array.from({ length: 1_000 }, (_, index) => [
      step(index),
      {
        ...beginning(),
        turn: 2 + (index % 5),
        closedBy: 1,
        closedSince: 1_764_270_000_000 + ((index * 7_919) % 60_000),
      },
    ]),
  );
  const cursor = toCursor(TOP, positions);
  expect(cursor.length).toBeLessThan(MOST_CHARACTERS);
  expect(fromCursor(TOP, cursor)).toEqual(positions);
});

const asJson = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const short = (text: string) => `z.${deflateRawSync(text).toString('base64url')}`;

test('a cursor of a release that did not know since when an ended run had been carried is read', () => {
  const cursor = asJson([2, TOP, [['t1c1', 2, 0, 0, [2, 3], 0, 0, 0, 4]]]);
  expect(fromCursor(TOP, cursor)).toEqual(
    new Map([['t1c1', { ...beginning(), turn: 2, ended: new Set([2, 3]), closedBy: 3 }]]),
  );
});

test.each([
  ['more calls than any turn has', asJson([2, TOP, [['', 1, 2, Number.MAX_SAFE_INTEGER]]])],
  ['a turn that no run comes to', asJson([2, TOP, [['', Number.MAX_SAFE_INTEGER]]])],
  [
    'too many calls together',
    asJson([2, TOP, Array.from({ length: 99 }, (_, at) => [`${at}`, 1, 2, 9_999])]),
  ],
  ['no short form', 'z.x'],
  ['more than a tree has when it is unfolded', short(`[2,"${TOP}",[["${'x'.repeat(10_000_000)}"]]]`)],
])('a text is no cursor that has %s', (_, text) => {
  expect(fromCursor(TOP, text)).toBeUndefined();
});

test('any text is a cursor or none', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc.json().map(short),
    fc.base64String().map((text) => `z.${text}`),
    fc.array(fc.array(fc.oneof(fc.string(), whole))).map((entries) => asJson([2, TOP, entries])),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const positions = fromCursor(TOP, text);
      if (positions !== undefined) expect(fromCursor(TOP, toCursor(TOP, positions))).toEqual(positions);
    }),
    { numRuns: cases(200) },
  );
});

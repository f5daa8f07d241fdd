import { describe, expect, test } from 'vitest';
import {
  charge,
  forfeit,
  free,
  give,
  giveBack,
  heldOf,
  isBegun,
  lend,
  openLedger,
  receive,
  release,
  reopen,
  reserve,
  statementOf,
  takeBack,
  type Ledger,
} from '../../../src/core/records/ledger.ts';
import { EVERYTHING, limitsBelow, NOTHING, type Amounts } from '../../../src/core/records/amounts.ts';
import { exceededText } from '../../../src/core/spending/refusal.ts';

const some = (changed: Partial<Amounts>): Amounts => ({ ...NOTHING, ...changed });
const reserving = (ledger: Ledger, owner: string, tokens: number, turn = 1) =>
  reserve(ledger, owner, { turn, amounts: some({ tokens }) });

describe('a ledger', () => {
  test('leaves everything free where there is no limit', () => {
    expect(free(openLedger({ tokens: 10 }))).toEqual({
      tokens: 10,
      nanoUsd: Infinity,
      turns: Infinity,
      toolCalls: Infinity,
      runs: Infinity,
    });
  });

  test('counts what is reserved as taken', () => {
    const left = free(reserving(openLedger({ tokens: 10 }), 'a', 7));
    expect(left.tokens).toBe(3);
    expect(limitsBelow(left, some({ tokens: 4, runs: 9 }))).toEqual(['tokens']);
    expect(limitsBelow(left, some({ tokens: 3 }))).toEqual([]);
  });

  test('counts a turn that is under way once, and not for itself', () => {
    const open = openLedger({ turns: 3 });
    const twice = reserving(reserving(open, 'a', 1), 'b', 1);
    expect({ others: free(twice).turns, itself: free(twice, 1).turns }).toEqual({ others: 2, itself: 3 });
    const both = charge(charge(twice, 'a', NOTHING), 'b', NOTHING);
    expect({ used: both.used.turns, left: free(both).turns }).toEqual({ used: 1, left: 2 });
  });

  test('puts what a turn did cost in place of what it reserved, once', () => {
    const charged = charge(reserving(openLedger({ tokens: 10 }), 'a', 7), 'a', some({ tokens: 2 }));
    expect(charged).toEqual({
      ...openLedger({ tokens: 10 }),
      used: some({ tokens: 2, turns: 1 }),
      settled: 1,
    });
    expect(charge(charged, 'a', some({ tokens: 2 }))).toBe(charged);
  });

  test('keeps what a dead invocation reserved when its turn is asked for again', () => {
    const again = reserving(reserving(openLedger({ tokens: 20 }), 'a', 7), 'b', 5);
    const made = charge(again, 'b', some({ tokens: 4 }));
    expect({ used: made.used.tokens, left: free(made).tokens }).toEqual({ used: 4, left: 20 - 4 - 7 });
  });

  test('charges each of two invocations of one turn for what it did cost, whichever was given up', () => {
    const again = reserving(reserving(openLedger({ tokens: 50 }), 'a', 7), 'b', 5);
    const both = charge(charge(again, 'b', some({ tokens: 4 })), 'a', some({ tokens: 6 }));
    expect(both).toMatchObject({ used: { tokens: 10, turns: 1 }, reserved: {}, settled: 1 });
  });

  test('gives back what an invocation reserved, and nothing of another', () => {
    const reserved = reserving(openLedger({ tokens: 10 }), 'a', 7);
    expect(release(reserved, 'b')).toBe(reserved);
    expect(release(reserved, 'a')).toEqual(openLedger({ tokens: 10 }));
  });

  test('charges a call of no use to the invocation that made it, and no turn', () => {
    const reserved = reserving(openLedger({ tokens: 10 }), 'a', 7);
    expect(forfeit(reserved, 'b', undefined)).toBe(reserved);
    expect(forfeit(reserved, 'a', undefined)).toMatchObject({ used: some({ tokens: 7 }), reserved: {} });
    expect(forfeit(reserved, 'a', some({ tokens: 3 }))).toMatchObject({ used: some({ tokens: 3 }) });
  });

  test('knows a turn that another invocation is at, or has made', () => {
    const reserved = reserving(openLedger({}), 'a', 1, 2);
    expect([1, 2, 3].map((turn) => isBegun(reserved, turn))).toEqual([false, true, false]);
    expect([1, 2, 3].map((turn) => isBegun(charge(reserved, 'a', NOTHING), turn))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a share', () => {
  const NO_LEAST = NOTHING;

  test('is the same for each sub-agent and for the run itself, of every limit that there is', () => {
    const { ledger, granted } = give(
      openLedger({ tokens: 100, toolCalls: 9 }),
      ['x', 'y', 'z'],
      NO_LEAST,
      40,
    );
    const given = { tokens: 25, toolCalls: 2 };
    expect({ granted, shares: ledger.shares, used: ledger.used, left: free(ledger).tokens }).toEqual({
      granted: 3,
      shares: { x: { given }, y: { given }, z: { given } },
      used: some({ runs: 3 }),
      left: 25,
    });
  });

  test('of the runs of a tree is small, however few there are to share them', () => {
    const { ledger } = give(openLedger({ runs: 1000 }), ['x'], NO_LEAST, 40);
    expect(ledger.shares['x']).toEqual({ given: { runs: 62 } });
  });

  test('is given to as many runs as there may be, the first ones', () => {
    const { ledger, granted } = give(openLedger({ runs: 1 }), ['x', 'y'], NO_LEAST, 40);
    expect({ granted, shares: ledger.shares }).toEqual({ granted: 1, shares: { x: { given: { runs: 0 } } } });
  });

  test('is given to none where there may be no run more', () => {
    const ledger = openLedger({ runs: 0 });
    expect(give(ledger, ['x', 'y'], NO_LEAST, 40)).toEqual({ ledger, granted: 0 });
  });

  test('stays as it is when it is given again', () => {
    const { ledger } = give(openLedger({ tokens: 100, runs: 9 }), ['x', 'y'], NO_LEAST, 40);
    expect(give(ledger, ['x', 'y'], NO_LEAST, 40)).toEqual({ ledger, granted: 2 });
  });

  test.each([
    ['of which only the first begins at once', { tokens: 90 }, NO_LEAST, 1, [45, 0, 0]],
    ['of which two can make a call', { tokens: 90 }, some({ tokens: 25 }), 40, [30, 30, 0]],
    ['none of which can make a call', { tokens: 90 }, some({ tokens: 50 }), 40, [0, 0, 0]],
    ['with more than they need', { tokens: 400 }, some({ tokens: 50 }), 40, [100, 100, 100]],
  ])('of runs %s is none for the others yet', (_, received, least, atOnce, shares) => {
    const { ledger, granted } = give(openLedger(received), ['x', 'y', 'z'], least, atOnce);
    expect(granted).toBe(3);
    expect(Object.values(ledger.shares).map(({ given }) => given.tokens)).toEqual(shares);
  });

  test('of a turn is no turn for any run where there are too few', () => {
    const { ledger } = give(openLedger({ turns: 1 }), ['x', 'y', 'z'], some({ turns: 1 }), 40);
    expect(Object.values(ledger.shares).map(({ given }) => given.turns)).toEqual([0, 0, 0]);
    expect(free(ledger).turns).toBe(1);
  });

  test('grows by what is free at most, and only where there is one', () => {
    const { ledger } = give(openLedger({ tokens: 100 }), ['x'], NO_LEAST, 40);
    const lent = lend(ledger, 'x', some({ tokens: 60 }));
    expect({ given: lent.shares['x']?.given, left: free(lent).tokens }).toEqual({
      given: { tokens: 100 },
      left: 0,
    });
    expect(lend(ledger, 'y', some({ tokens: 60 }))).toBe(ledger);
  });

  test('is copied by its run as often as it likes', () => {
    const own = receive(openLedger({ tokens: 50 }), { tokens: 80 });
    expect(own.received).toEqual({ tokens: 80 });
    expect(receive(own, { tokens: 80 })).toBe(own);
    expect(receive(own, { tokens: 50 })).toBe(own);
  });

  test('is given back as far as it is free, and taken back once', () => {
    const { ledger } = give(openLedger({ tokens: 100 }), ['x', 'y'], NO_LEAST, 40);
    const own = reserving(openLedger({ tokens: 33 }), 'a', 13);
    const less = giveBack(own, EVERYTHING);
    expect({ returned: less.returned.tokens, left: free(less).tokens }).toEqual({ returned: 20, left: 0 });
    const back = new Map([['x', statementOf(less)]]);
    const taken = takeBack(ledger, back);
    expect(heldOf(taken.shares['x'] ?? { given: {} }, 'tokens')).toBe(13);
    expect(free(taken).tokens).toBe(34 + 20);
    expect(takeBack(taken, back)).toBe(taken);
  });

  test('grows by what its run has spent beyond it, for any count of its provider', () => {
    const { ledger } = give(openLedger({ tokens: 100 }), ['x', 'y'], NO_LEAST, 40);
    const own = charge(reserving(openLedger({ tokens: 33 }), 'a', 33), 'a', some({ tokens: 50 }));
    const told = takeBack(ledger, new Map([['x', statementOf(own)]]));
    expect({ given: told.shares['x']?.given, left: free(told).tokens }).toEqual({
      given: { tokens: 50 },
      left: 34 - (50 - 33),
    });
    expect(free(receive(own, told.shares['x']?.given ?? {})).tokens).toBe(0);
    expect(takeBack(ledger, new Map([['x', statementOf(own, true)]])).used.tokens).toBe(50);
  });

  test('of a run that has its answer is settled for good: what it holds is spent', () => {
    const { ledger } = give(openLedger({ tokens: 99, runs: 5 }), ['x', 'y'], NO_LEAST, 40);
    const back = new Map([
      [
        'x',
        { returned: some({ tokens: 30 }), spent: some({ tokens: 3 }), settledAt: { tokens: 33, runs: 1 } },
      ],
    ]);
    const settled = takeBack(ledger, back);
    expect({ used: settled.used, shares: Object.keys(settled.shares), left: free(settled) }).toMatchObject({
      used: some({ tokens: 3, runs: 2 }),
      shares: ['y'],
      left: { tokens: 33 + 30, runs: 5 - 2 },
    });
    expect(takeBack(settled, back)).toBe(settled);
    expect(lend(settled, 'x', some({ tokens: 1 }))).toBe(settled);
  });
});

test.each([
  [{ limit: 'tokens', used: 98, max: 100 }, 'budget exceeded: used 98 of 100 tokens'],
  [{ limit: 'nanoUsd', used: 12_345_678, max: 50_000_000 }, 'budget exceeded: used $0.0123 of $0.0500'],
  [{ limit: 'nanoUsd', used: 0, max: 50_000 }, 'budget exceeded: used $0.0000 of $0.000050'],
  [{ limit: 'nanoUsd', used: 7, max: 123_456 }, 'budget exceeded: used $0.000000007 of $0.00012'],
  [
    { limit: 'tokens', used: 9_800, max: 10_000, next: 3_100 },
    'budget exceeded: used 9800 of 10000 tokens, 200 left; the next call could cost up to 3100',
  ],
  [
    { limit: 'nanoUsd', used: 60_000_000, max: 50_000_000, next: 20_000_000, reserved: 10_000_000 },
    'budget exceeded: used $0.0600 of $0.0500, $0.0000 left; the next call could cost up to $0.0200, and calls without an answer up to $0.0100',
  ],
  [{ limit: 'turns', used: 3, max: 3 }, 'budget exceeded: used 3 of 3 turns'],
  [{ limit: 'toolCalls', used: 1, max: 2 }, 'budget exceeded: used 1 of 2 tool calls'],
] as const)('what is exceeded is put into words: %j', (exceeded, text) => {
  expect(exceededText(exceeded)).toBe(text);
});

test('a sub-agent that goes on after its share was settled gets more, and nothing is counted twice', () => {
  const budget = { tokens: 100, runs: 10 };
  const { ledger: gave } = give(openLedger(budget), ['kid'], NOTHING, 1);
  const share = gave.shares['kid']?.given ?? {};
  const own = { ...openLedger(share), used: { ...NOTHING, tokens: 20 }, returned: { ...NOTHING, tokens: 5 } };
  const settled = takeBack(gave, new Map([['kid', statementOf(own, true)]]));
  expect(settled.shares).toEqual({});
  const before = free(settled);
  const again = reopen(settled, 'kid', own);
  expect(free(again)).toEqual(before);
  const lent = lend(again, 'kid', { ...NOTHING, tokens: 7 });
  expect(free(lent).tokens).toBe(before.tokens - 7);
  const richer = receive(own, lent.shares['kid']?.given ?? {});
  expect(free(richer).tokens).toBe(free(own).tokens + 7);
  expect(reopen(lent, 'kid', richer)).toBe(lent);
});

test('what an agent spent beyond its share is counted once, also when it goes on after its end', () => {
  const began = { ...openLedger({ tokens: 1_000 }), shares: { kid: { given: { tokens: 100 } } } };
  const spend = (ledger: Ledger, tokens: number, turn: number) =>
    charge(reserving(ledger, 'k', tokens, turn), 'k', some({ tokens }));
  const over = spend(openLedger({ tokens: 100 }), 150, 1);
  const settled = takeBack(began, new Map([['kid', statementOf(over, true)]]));
  expect([settled.used.tokens, free(settled).tokens]).toEqual([150, 850]);
  const lent = lend(reopen(settled, 'kid', over), 'kid', some({ tokens: 50 }));
  expect(free(lent).tokens).toBe(800);
  const more = receive(over, lent.shares['kid']?.given ?? {});
  expect(free(more).tokens).toBe(50);
  const again = takeBack(lent, new Map([['kid', statementOf(spend(more, 30, 2), true)]]));
  expect(again.used.tokens + (again.shares['kid'] === undefined ? 0 : Infinity)).toBe(200);
});

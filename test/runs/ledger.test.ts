import { describe, expect, test } from 'vitest';
import {
  absorb,
  charge,
  exceededText,
  free,
  gather,
  give,
  lend,
  limitBelow,
  NOTHING,
  openLedger,
  release,
  reserve,
  type Amounts,
} from '../../src/runs/ledger.ts';

const some = (changed: Partial<Amounts>): Amounts => ({ ...NOTHING, ...changed });
const held = (tokens: number, turn = 1, owner = 'a') => ({ turn, owner, amounts: some({ tokens }) });

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
    const left = free(reserve(openLedger({ tokens: 10 }), held(7)));
    expect(left.tokens).toBe(3);
    expect(limitBelow(left, some({ tokens: 4 }))).toBe('tokens');
    expect(limitBelow(left, some({ tokens: 3 }))).toBeUndefined();
  });

  test('puts what a turn did cost in place of what it reserved, once', () => {
    const reserved = reserve(openLedger({ tokens: 10 }), held(7));
    const charged = charge(reserved, 1, 'a', some({ tokens: 2, turns: 1 }));
    expect(charged).toEqual({
      allowance: { tokens: 10 },
      used: some({ tokens: 2, turns: 1 }),
      given: {},
      settled: 1,
    });
    expect(charge(charged, 1, 'a', some({ tokens: 2, turns: 1 }))).toBe(charged);
    expect(charge(charged, 1, undefined, some({ tokens: 2, turns: 1 }))).toBe(charged);
  });

  test('charges a turn whose reservation is gone', () => {
    const charged = charge(
      release(reserve(openLedger({ tokens: 10 }), held(7)), 'a'),
      1,
      'a',
      some({ tokens: 2 }),
    );
    expect(charged).toMatchObject({ used: { tokens: 2 }, settled: 1 });
  });

  test('counts what a dead invocation reserved as used when its turn is asked for again', () => {
    const again = reserve(reserve(openLedger({ tokens: 20 }), held(7)), held(5, 1, 'b'));
    expect(again).toMatchObject({ used: { tokens: 7 }, reserved: held(5, 1, 'b') });
    const both = charge(again, 1, 'b', some({ tokens: 4 }));
    expect(both.used.tokens).toBe(11);
  });

  test('charges two invocations of one turn that both had an answer', () => {
    const again = reserve(reserve(openLedger({ tokens: 50 }), held(7)), held(5, 1, 'b'));
    const first = charge(again, 1, 'a', some({ tokens: 6 }));
    expect(first).toMatchObject({ settled: 1, reserved: held(5, 1, 'b') });
    expect(charge(first, 1, 'b', some({ tokens: 4 })).used.tokens).toBe(17);
  });

  test('gives back what an invocation reserved, and nothing of another', () => {
    const reserved = reserve(openLedger({ tokens: 10 }), held(7));
    expect(release(reserved, 'b')).toBe(reserved);
    expect(release(reserved, 'a')).toEqual(openLedger({ tokens: 10 }));
  });

  test('refuses calls above the limit, and counts none of them', () => {
    const reserved = reserve(openLedger({ toolCalls: 3 }), { ...held(0), amounts: some({ turns: 1 }) });
    const charged = charge(reserved, 1, 'a', some({ turns: 1, toolCalls: 4 }));
    expect(charged).toMatchObject({ refused: 1, used: some({ turns: 1 }) });
  });

  test('that is closed refuses late writers, and counts what was reserved', () => {
    const closed = { ...absorb(reserve(openLedger({ tokens: 10 }), held(7))), closed: true as const };
    expect(closed.used.tokens).toBe(7);
    expect(charge(closed, 1, 'a', some({ tokens: 5 }))).toBe(closed);
  });
});

describe('a share', () => {
  test('is the same for each sub-agent and for the run itself, of every limit that there is', () => {
    const { ledger, granted } = give(openLedger({ tokens: 100, runs: 9 }), ['x', 'y', 'z']);
    expect({ granted, given: ledger.given, used: ledger.used, left: free(ledger).tokens }).toEqual({
      granted: 3,
      given: { x: { tokens: 25, runs: 1 }, y: { tokens: 25, runs: 1 }, z: { tokens: 25, runs: 1 } },
      used: some({ runs: 3 }),
      left: 25,
    });
  });

  test('is given to as many runs as there may be, the first ones', () => {
    const { ledger, granted } = give(openLedger({ runs: 1 }), ['x', 'y']);
    expect({ granted, given: ledger.given }).toEqual({ granted: 1, given: { x: { runs: 0 } } });
  });

  test('grows by what is free at most', () => {
    const { ledger, lent } = lend(openLedger({ tokens: 10 }), 'x', some({ tokens: 30 }));
    expect({ lent, left: free(ledger).tokens }).toEqual({ lent: some({ tokens: 10 }), left: 0 });
  });

  test('is taken back less what was spent, once', () => {
    const { ledger } = give(openLedger({ tokens: 100, runs: 9 }), ['x', 'y', 'z']);
    const spent = new Map([['x', some({ tokens: 20 })]]);
    const gathered = gather(ledger, spent);
    expect(gathered.used).toEqual(some({ tokens: 20, runs: 3 }));
    expect(Object.keys(gathered.given)).toEqual(['y', 'z']);
    expect(gather(gathered, spent)).toBe(gathered);
  });
});

test.each([
  [{ limit: 'tokens', used: 98, max: 100 }, 'budget exceeded: used 98 of 100 tokens'],
  [{ limit: 'nanoUsd', used: 12_345_678, max: 50_000_000 }, 'budget exceeded: used $0.0123 of $0.0500'],
  [{ limit: 'nanoUsd', used: 0, max: 50_000 }, 'budget exceeded: used $0.0000 of $0.000050'],
  [{ limit: 'nanoUsd', used: 7, max: 123_456 }, 'budget exceeded: used $0.000000007 of $0.00012'],
  [{ limit: 'turns', used: 3, max: 3 }, 'budget exceeded: used 3 of 3 turns'],
  [{ limit: 'toolCalls', used: 1, max: 2 }, 'budget exceeded: used 1 of 2 tool calls'],
] as const)('what is exceeded is put into words: %j', (exceeded, text) => {
  expect(exceededText(exceeded)).toBe(text);
});

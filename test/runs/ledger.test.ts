import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  exceededText,
  left,
  openLedger,
  openReservations,
  release,
  reserve,
  settle,
  type Amounts,
  type Ledger,
} from '../../src/runs/ledger.ts';

const amounts = (changed: Partial<Amounts>): Amounts => ({
  tokens: 0,
  nanoUsd: 0,
  turns: 0,
  toolCalls: 0,
  ...changed,
});
const reserved = (ledger: Ledger, run: string, turn: number, wanted: Amounts): Ledger => {
  const made = reserve(ledger, run, turn, wanted);
  if ('exceeded' in made) throw new Error('refused');
  return made.ledger;
};

describe('a ledger', () => {
  test('leaves everything free where there is no limit', () => {
    expect(left(openLedger(amounts({ tokens: 10 })), 'a', 1)).toEqual({
      tokens: 10,
      nanoUsd: Infinity,
      turns: Infinity,
      toolCalls: Infinity,
    });
  });

  test('counts what is reserved as taken, for everybody but the turn that reserved it', () => {
    const ledger = reserved(openLedger(amounts({ tokens: 10 })), 'a', 1, amounts({ tokens: 7 }));
    expect(left(ledger, 'b', 1).tokens).toBe(3);
    expect(left(ledger, 'a', 1).tokens).toBe(10);
    expect(reserve(ledger, 'b', 1, amounts({ tokens: 4 }))).toEqual({
      exceeded: { limit: 'tokens', used: 0, max: 10, reserved: 7 },
    });
  });

  test('gives back what a turn did not use', () => {
    const before = reserved(openLedger(amounts({ tokens: 10 })), 'a', 1, amounts({ tokens: 7 }));
    const { ledger } = settle(before, 'a', 1, amounts({ tokens: 2, turns: 1 }));
    expect(ledger).toEqual({
      limits: amounts({ tokens: 10 }),
      used: amounts({ tokens: 2, turns: 1 }),
      reserved: {},
      refused: [],
    });
  });

  test('settles a turn once, however often it is told', () => {
    const before = reserved(openLedger(amounts({ tokens: 10 })), 'a', 1, amounts({ tokens: 7 }));
    const once = settle(before, 'a', 1, amounts({ tokens: 2 })).ledger;
    expect(settle(once, 'a', 1, amounts({ tokens: 2 }))).toEqual({ ledger: once });
  });

  test('refuses calls above the limit, each time that it is asked, and counts none of them', () => {
    const before = reserved(openLedger(amounts({ toolCalls: 3 })), 'a', 1, amounts({ turns: 1 }));
    const first = settle(before, 'a', 1, amounts({ turns: 1, toolCalls: 4 }));
    expect(first.exceeded).toEqual({ limit: 'toolCalls', used: 0, max: 3 });
    expect(settle(first.ledger, 'a', 1, amounts({ turns: 1, toolCalls: 4 })).exceeded).toEqual(
      first.exceeded,
    );
    expect(first.ledger.used).toEqual(amounts({ turns: 1 }));
  });

  test('knows what is open for a run', () => {
    const one = reserved(openLedger(amounts({})), 'a', 2, amounts({ turns: 1 }));
    const two = reserved(one, 'b', 1, amounts({ turns: 1 }));
    expect(openReservations(two, 'a')).toEqual([2]);
    expect(openReservations(release(two, 'a', 2), 'a')).toEqual([]);
  });

  test.each([
    [{ limit: 'tokens', used: 98, max: 100 }, 'budget exceeded: used 98 of 100 tokens'],
    [{ limit: 'nanoUsd', used: 12_345_678, max: 50_000_000 }, 'budget exceeded: used $0.0123 of $0.0500'],
    [{ limit: 'nanoUsd', used: 0, max: 50_000 }, 'budget exceeded: used $0.0000 of $0.000050'],
    [{ limit: 'nanoUsd', used: 7, max: 123_456 }, 'budget exceeded: used $0.000000007 of $0.00012'],
    [
      { limit: 'tokens', used: 9_800, max: 10_000, next: 3_100 },
      'budget exceeded: used 9800 of 10000 tokens; the next call could cost up to 3100',
    ],
    [
      { limit: 'nanoUsd', used: 0, max: 1_000_000_000, next: 20_000_000, reserved: 990_000_000 },
      'budget exceeded: used $0.0000 of $1.0000; the next call could cost up to $0.0200, and calls under way up to $0.9900',
    ],
    [{ limit: 'turns', used: 3, max: 3, next: 1 }, 'budget exceeded: used 3 of 3 turns'],
    [{ limit: 'turns', used: 3, max: 3 }, 'budget exceeded: used 3 of 3 turns'],
    [{ limit: 'toolCalls', used: 1, max: 2 }, 'budget exceeded: used 1 of 2 tool calls'],
  ] as const)('puts %j into words', (exceeded, text) => {
    expect(exceededText(exceeded)).toBe(text);
  });

  test('is never over its limits, and holds nothing when everything is done, whatever happens in between', () => {
    const step = fc.record({
      run: fc.constantFrom('a', 'b', 'c', 'd'),
      turn: fc.integer({ min: 1, max: 3 }),
      does: fc.constantFrom('reserve', 'settle', 'release'),
      tokens: fc.nat(60),
      calls: fc.nat(4),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 9 }),
        (steps, tokens, toolCalls) => {
          const limits = amounts({ tokens, toolCalls });
          let ledger = openLedger(limits);
          for (const { run, turn, does, tokens: wanted, calls } of steps) {
            if (does === 'reserve') {
              const made = reserve(ledger, run, turn, amounts({ tokens: wanted, turns: 1 }));
              if ('ledger' in made) ledger = made.ledger;
            } else if (does === 'settle') {
              const held = ledger.reserved[`${run}/${turn}`]?.amounts.tokens ?? 0;
              ledger = settle(
                ledger,
                run,
                turn,
                amounts({ tokens: Math.min(held, wanted), turns: 1, toolCalls: calls }),
              ).ledger;
            } else {
              ledger = release(ledger, run, turn);
            }
            const held = Object.values(ledger.reserved).reduce((sum, one) => sum + one.amounts.tokens, 0);
            expect(ledger.used.tokens + held).toBeLessThanOrEqual(tokens);
            expect(ledger.used.toolCalls).toBeLessThanOrEqual(toolCalls);
          }
          for (const { run, turn } of Object.values(ledger.reserved)) ledger = release(ledger, run, turn);
          expect(ledger.reserved).toEqual({});
        },
      ),
    );
  });
});

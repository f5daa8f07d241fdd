import { describe, expect, test } from 'vitest';
import { openLedger } from '../../../src/core/records/ledger.ts';
import type { Amounts, Limit } from '../../../src/core/records/amounts.ts';
import { callCost } from '../../../src/core/spending/call-cost.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { dayRefusal, exceededText, refusal, toUsd } from '../../../src/core/spending/refusal.ts';
import { ConfigError } from '../../../src/errors.ts';

const amounts = (given: Partial<Amounts>): Amounts => ({
  tokens: 0,
  nanoUsd: 0,
  turns: 0,
  toolCalls: 0,
  runs: 0,
  ...given,
});
const prices = createPrices();
/** $15 for a million tokens, and $3.75 for those of a prompt that are kept. */
const SONNET = 'anthropic/claude-sonnet-4-5';

describe('the most that a call can cost', () => {
  test.each([
    ['no budget', {}, 0, [0, 0]],
    ['no budget, and a limit of its own', {}, 100, [100, 0]],
    ['tokens', { tokens: 9 }, 0, [4096, 1]],
    ['dollars', { nanoUsd: 9 }, 0, [4096, 1]],
    ['dollars per day', { perDay: {} }, 100, [100, 1]],
    ['turns', { turns: 9 }, 0, [0, 0]],
  ])('is of an answer as long as it may be: with %s', (_, budget, maxTokens, expected) => {
    const { wanted, least } = callCost(SONNET, maxTokens, budget, prices);
    expect([wanted, least]).toEqual(expected);
  });

  test('is of 16 tokens at least for OpenAI, which takes no lower limit, unless fewer are wanted', () => {
    const leastOf = (model: string, maxTokens: number) =>
      callCost(model, maxTokens, { tokens: 9 }, prices).least;
    expect([leastOf('openai/gpt-5.6', 0), leastOf('azure/x', 100), leastOf('openai/gpt-5.6', 5)]).toEqual([
      16, 16, 5,
    ]);
  });

  test('is that of its tokens and searches', () => {
    const cost = callCost(SONNET, 1000, { nanoUsd: 1 }, prices, 2);
    expect(cost.of(100, 10)).toEqual(
      amounts({ tokens: 110, nanoUsd: 375_000 + 150_000 + 20_000_000, turns: 1 }),
    );
    expect(callCost('bedrock/amazon.nova-pro', 0, {}, prices, 2).of(10, 0)).toEqual(
      amounts({ tokens: 10, nanoUsd: 8_000, turns: 1 }),
    );
    expect(callCost(SONNET, 0, {}, prices, 0, 'batch').of(10, 0).nanoUsd).toBe(30_000);
    const left = (given: Partial<Amounts>) => amounts({ tokens: 5_000, nanoUsd: 1e9, ...given });
    expect([
      cost.room(100, left({})),
      cost.room(100, left({ tokens: 600 })),
      cost.room(100, left({ tokens: 99 })),
      cost.room(100, left({ nanoUsd: 20_375_000 + 15_000 * 7 + 14_999 })),
      callCost('ollama/x', 1000, { tokens: 1 }, prices).room(1, left({ nanoUsd: 0 })),
    ]).toEqual([1000, 500, -1, 7, 1000]);
  });

  test('is a turn where the answer is computed', () => {
    const cost = callCost('planned/delegation', 1000, { tokens: 1 }, prices);
    expect([cost.wanted, cost.least, cost.room(1, amounts({})), cost.of(1, 1)]).toEqual([
      0,
      0,
      0,
      amounts({ turns: 1 }),
    ]);
  });

  test('is not known without a price, which matters only where there is a limit of dollars', () => {
    const of = (budget: object) => () => callCost('openai/new', 0, budget, prices).of(1, 1).nanoUsd;
    const said = (limit: string, instead: string) =>
      new ConfigError(
        `${limit} cannot be enforced: the price of "openai/new" is not known; set [prices."openai/new"] in config.toml${instead}`,
      );
    expect(of({ tokens: 1 })()).toBe(0);
    expect(of({ nanoUsd: 1, perDay: {} })).toThrow(said('max_usd', ', or limit tokens'));
    expect(of({ perDay: {} })).toThrow(said('usd_per_day', ''));
  });
});

describe('a limit that was reached', () => {
  test.each<[Limit, Partial<Parameters<typeof exceededText>[0]>, string]>([
    ['tokens', {}, '8 of 10 tokens'],
    ['turns', { next: 3 }, '8 of 10 turns'],
    ['toolCalls', { next: 3, reserved: 1 }, '8 of 10 tool calls'],
    ['runs', {}, '8 of 10 runs'],
    ['nanoUsd', {}, '$0.000000008 of $0.000000010'],
    ['tokens', { next: 3 }, '8 of 10 tokens, 2 left; the next call could cost up to 3'],
    ['tokens', { used: 12, next: 3 }, '12 of 10 tokens, 0 left; the next call could cost up to 3'],
    [
      'nanoUsd',
      { used: 9e9, max: 10e9, next: 2e9, reserved: 5e8 },
      '$9.0000 of $10.0000, $1.0000 left; the next call could cost up to $2.0000, and calls without an answer up to $0.5000',
    ],
  ])('is told in words: %s %j', (limit, more, words) => {
    expect(exceededText({ limit, used: 8, max: 10, ...more })).toBe(`budget exceeded: used ${words}`);
  });

  test('is the one of several that leaves the fewest calls', () => {
    const spent = { used: amounts({ tokens: 50, nanoUsd: 8 }), reserved: amounts({ tokens: 40 }) };
    const budget = { tokens: 100, nanoUsd: 10, turns: 0 };
    const next = amounts({ tokens: 4, nanoUsd: 1, turns: 1 });
    expect([
      refusal(spent, budget, ['tokens', 'nanoUsd'], next),
      refusal(spent, budget, ['nanoUsd', 'tokens'], amounts({ ...next, tokens: 6 })),
      refusal(spent, budget, ['tokens', 'nanoUsd', 'turns']),
      refusal(spent, budget, ['runs', 'turns']),
      refusal(spent, {}, []),
    ]).toEqual([
      'budget exceeded: used $0.000000008 of $0.000000010, $0.000000002 left; the next call could cost up to $0.000000001',
      'budget exceeded: used 50 of 100 tokens, 50 left; the next call could cost up to 6, and calls without an answer up to 40',
      'budget exceeded: used 0 of 0 turns',
      'budget exceeded: used 0 of 0 turns',
      'budget exceeded: used 50 of 0 tokens',
    ]);
  });

  test('of a day says for whom', () => {
    const refused = {
      limit: { scope: 'day', key: 'usd_per_day' as const, nanoUsd: 5e9, of: 'all agents' },
      held: 4_999_800_000,
    };
    const text =
      'limit per day reached: $4.9998 of usd_per_day = $5.0000 for all agents are spent today (UTC), or held by agents at work';
    expect([dayRefusal(refused), dayRefusal(refused, 1_000)]).toEqual([
      text,
      `${text}; the next call could cost up to $0.0000010`,
    ]);
  });

  test.each([
    [0, '0.0000'],
    [1e9, '1.0000'],
    [1_234_567, '0.0012'],
    [123_456, '0.00012'],
    [10, '0.000000010'],
    [9, '0.000000009'],
    [1, '0.000000001'],
  ])('has enough decimals: %d', (nanoUsd, usd) => {
    expect(toUsd(nanoUsd)).toBe(usd);
  });
});

test('a ledger begins with all that it was given', () => {
  expect(openLedger({ tokens: 5 })).toEqual({
    received: { tokens: 5 },
    returned: amounts({}),
    used: amounts({}),
    reserved: {},
    shares: {},
    settled: 0,
  });
});

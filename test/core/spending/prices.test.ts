import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Price, Rates } from '../../../src/core/spending/price.ts';
import { PRICES } from '../../../src/core/spending/price-table.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';

const { costOf, tokenPrice } = createPrices();
const million = { inputTokens: 1_000_000, outputTokens: 0 };
const USD = 1e9;

describe('the cost of a request', () => {
  it('counts each kind of token at its own rate, the rest of the prompt as input', () => {
    const usage = { inputTokens: 10_000, outputTokens: 200, cacheReadTokens: 9_000, cacheWriteTokens: 600 };
    // 400 x $3, 9,000 x $0.30, 600 x $3.75 and 200 x $15, for a million each.
    expect(costOf('anthropic/claude-sonnet-4-5', usage)).toBe(1_200_000 + 2_700_000 + 2_250_000 + 3_000_000);
  });

  it('is the whole prompt at the rate of input where nothing is said of a cache', () => {
    expect(costOf('openai/gpt-5.1', { inputTokens: 1_000_000, outputTokens: 100_000 })).toBe(2.25 * USD);
  });

  it('is a whole number of billionths, rounded up', () => {
    // 8.75 billionths, the least that anything costs.
    const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 1 };
    expect(costOf('bedrock/amazon.nova-micro-v1:0', usage)).toBe(9);
  });

  it.each([
    [272_000, 2.5],
    [272_001, 5],
  ])('is higher for every token where the prompt of %i is long', (inputTokens, rate) => {
    expect(costOf('openai/gpt-5.4', { inputTokens, outputTokens: 0 })).toBe(inputTokens * rate * 1000);
  });

  it.each(['ollama/llama3.2', 'offline/extractive', 'scripted/tests/a.toml'])(
    'is nothing for %s',
    (model) => {
      expect([costOf(model, million), tokenPrice(model)]).toEqual([0, { input: 0, output: 0 }]);
    },
  );

  it.each([
    'anthropic/claude-next',
    'openai/gpt-5-something',
    'openai/llama3.2',
    'bedrock/eu.amazon.nova-pro-v1:0',
    'bedrock/meta.llama3-1-70b-instruct-v1:0',
    'bedrock/arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123',
    'claude-sonnet-4-5',
    '',
  ])('is not known for "%s"', (model) => {
    expect([costOf(model, million), tokenPrice(model)]).toEqual([undefined, undefined]);
  });
});

describe('the service that a request had', () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };

  it.each([
    ['anthropic/claude-sonnet-4-5', 'batch', 2.25],
    ['openai/gpt-5.1', 'batch', 1.125],
    ['openai/gpt-5.1', 'flex', 1.125],
    ['openai/gpt-5.1', 'priority', 4.5],
    ['openai/gpt-4.1', 'priority', 4.9],
    ['openai/gpt-5-mini', 'priority', 0.81],
    ['openai/gpt-5-nano', 'priority', undefined],
    ['anthropic/claude-sonnet-4-5', 'flex', undefined],
    ['bedrock/amazon.nova-pro', 'batch', undefined],
  ] as const)('decides what %s costs as %s', (model, service, dollars) => {
    const cost = costOf(model, { ...usage, service });
    expect(cost).toBe(dollars && dollars * USD);
  });

  it('is the price of what is kept for an hour, which is twice that of a token', () => {
    const kept = { inputTokens: 1_000_000, outputTokens: 0, cacheWriteTokens: 1_000_000 };
    const anHour = { ...kept, cacheWrite1hTokens: 400_000 };
    expect(costOf('anthropic/claude-sonnet-4-5', anHour)).toBe((0.6 * 3.75 + 0.4 * 6) * USD);
  });

  it('is reserved for, with all of the prompt kept for an hour', () => {
    expect(tokenPrice('anthropic/claude-sonnet-4-5', 1_000, 'batch')).toEqual({
      input: 3_000,
      output: 7_500,
    });
    expect(tokenPrice('openai/gpt-5.1', 1_000, 'priority')).toEqual({ input: 2_500, output: 20_000 });
  });
});

describe('a release of a model', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5-20250929', 3],
    ['anthropic/claude-3-5-haiku-latest', 0.8],
    ['openai/gpt-5.1-2025-11-13', 1.25],
    ['openai/gpt-4o-2024-08-06', 2.5],
    // Priced itself.
    ['openai/gpt-4o-2024-05-13', 5],
    ['bedrock/us.amazon.nova-pro-v1:0', 0.8],
    ['bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
    ['bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 3.3],
    ['bedrock/anthropic.claude-opus-4-6-v1', 5.5],
    // Before 4.5 the place made no difference.
    ['bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0', 3],
    [
      'bedrock/arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0',
      1.1,
    ],
  ])('%s costs what the model costs', (model, rate) => {
    expect(costOf(model, { inputTokens: 1000, outputTokens: 0 })).toBe(Math.round(rate * 1_000_000));
  });
});

describe('a price that the user sets', () => {
  const own: Price = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  const usage = { inputTokens: 1000, outputTokens: 0 };

  it('goes before the table and before nothing', () => {
    const names = ['anthropic/claude-sonnet-4-5', 'ollama/llama3.2', 'openai/my-model'];
    const prices = createPrices(new Map(names.map((name) => [name, own])));
    expect(names.map((name) => prices.costOf(name, usage))).toEqual([1_000_000, 1_000_000, 1_000_000]);
  });

  it('holds for the releases of a model, unless one has a price that is set for itself', () => {
    const prices = createPrices(
      new Map([
        ['openai/gpt-4o', own],
        ['openai/gpt-4o-2024-08-06', { ...own, input: 7 }],
      ]),
    );
    const costs = ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06'].map((name) =>
      prices.costOf(`openai/${name}`, usage),
    );
    expect(costs).toEqual([1_000_000, 7_000_000]);
  });
});

describe('every price of the table', () => {
  const rates: (readonly [string, Rates])[] = [...PRICES].flatMap(([model, { long, ...short }]) => [
    [model, short] as const,
    ...(long ? [[`${model}, long`, long] as const] : []),
  ]);

  it('is the one that was written down twice', async () => {
    const listed = rates.map(([model, { input, output, cacheRead, cacheWrite }]) =>
      [model, ...[input, output, cacheRead, cacheWrite].map((rate) => Number(rate.toPrecision(12)))].join(
        '  ',
      ),
    );
    const above = [...PRICES].flatMap(([model, { long }]) => (long ? [`${model}  ${long.above}`] : []));
    await expect(
      `model  input  output  cache read  cache write\n\n${listed.join('\n')}\n\nlong prompts have more tokens than\n\n${above.join('\n')}\n`,
    ).toMatchFileSnapshot('prices.txt');
  });

  it('is positive, reads cost no more than input, and answers more', () => {
    const odd = rates.filter(
      ([, { input, output, cacheRead, cacheWrite }]) =>
        !(cacheRead > 0 && cacheRead <= input && input <= cacheWrite && cacheWrite < output),
    );
    expect(odd).toEqual([]);
  });

  it('is a whole number of trillionths for a token, so that sums are exact', () => {
    const all = rates.flatMap(([, { input, output, cacheRead, cacheWrite }]) => [
      input,
      output,
      cacheRead,
      cacheWrite,
    ]);
    expect(all.filter((rate) => Math.abs(rate * 1e6 - Math.round(rate * 1e6)) > 1e-6)).toEqual([]);
  });

  it('costs for a request no more than its tokens do at the dearest', () => {
    const tokens = fc.nat({ max: 400_000 });
    fc.assert(
      fc.property(
        fc.constantFrom(...PRICES.keys()),
        tokens,
        tokens,
        tokens,
        tokens,
        (model, plain, read, written, output) => {
          const inputTokens = plain + read + written;
          const usage = {
            inputTokens,
            outputTokens: output,
            cacheReadTokens: read,
            cacheWriteTokens: written,
          };
          const dearest = tokenPrice(model, inputTokens) ?? { input: 0, output: 0 };
          const cost = costOf(model, usage);
          expect(Number.isSafeInteger(cost)).toBe(true);
          expect(cost).toBeLessThanOrEqual(inputTokens * dearest.input + output * dearest.output);
        },
      ),
    );
  });
});

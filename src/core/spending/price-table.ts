import type { Price, Rates } from './price.ts';

/**
 * The prices of models, for a million tokens in US dollars, at the standard tier: no batches, no priority, caches that
 * keep for minutes. Brought together on 2026-11-21. A model whose price could not be confirmed is left out: then a
 * run's price is unknown, and `[prices."provider/model"]` in `config.toml` can set it.
 *
 * - Anthropic: https://platform.claude.com/docs/en/about-claude/pricing, as of 2026-10-24; writes that keep for 5
 * minutes
 * - OpenAI: https://developers.openai.com/api/docs/pricing, as of 2026-10-06; for GPT-6.1 Sol its model page too,
 * and for GPT-6.1 Terra, of 2026-10-26, its model page, as of 2026-11
 * - Bedrock: https://aws.amazon.com/bedrock/pricing/, as of 2026-09-01, and for Claude the section on cloud platforms
 * of Anthropic's page
 */
type Row = readonly [model: string, input: number, output: number, cacheRead: number, cacheWrite: number];

/**
 * Since Claude 4.5 a model that stays in one part of the world costs a tenth more on Bedrock than one that does not.
 */
const CLAUDE: readonly Row[] = [
  ['claude-fable-5-1', 10, 50, 0.25, 12.5],
  ['claude-fable-5', 10, 50, 1, 12.5],
  ['claude-mythos-5-1', 10, 50, 0.25, 12.5],
  ['claude-mythos-5', 10, 50, 1, 12.5],
  ['claude-opus-5-5', 4, 20, 0.2, 5],
  ['claude-opus-5', 5, 25, 0.5, 6.25],
  ['claude-opus-4-8', 5, 25, 0.5, 6.25],
  ['claude-opus-4-7', 5, 25, 0.5, 6.25],
  ['claude-opus-4-6', 5, 25, 0.5, 6.25],
  ['claude-opus-4-5', 5, 25, 0.5, 6.25],
  ['claude-sonnet-5-5', 2, 10, 0.1, 2.5],
  ['claude-sonnet-5', 2, 10, 0.2, 2.5],
  ['claude-sonnet-4-6', 3, 15, 0.3, 3.75],
  ['claude-sonnet-4-5', 3, 15, 0.3, 3.75],
  ['claude-haiku-5-5', 0.1, 0.5, 0.01, 0.125],
  ['claude-haiku-4-5', 1, 5, 0.1, 1.25],
];

const OLDER_CLAUDE: readonly Row[] = [
  ['claude-opus-4-1', 15, 75, 1.5, 18.75],
  ['claude-opus-4-0', 15, 75, 1.5, 18.75],
  ['claude-opus-4', 15, 75, 1.5, 18.75],
  ['claude-sonnet-4-0', 3, 15, 0.3, 3.75],
  ['claude-sonnet-4', 3, 15, 0.3, 3.75],
  ['claude-3-7-sonnet', 3, 15, 0.3, 3.75],
  ['claude-3-5-haiku', 0.8, 4, 0.08, 1],
];

/** Before GPT-5.6 a write has no price of its own: it is a token of the prompt like any other. */
const OPENAI: readonly Row[] = [
  ['gpt-6.1-sol', 2, 10, 0.1, 2.5],
  ['gpt-6.1-terra', 1, 5, 0.05, 1.25],
  ['gpt-6-astra', 10, 50, 1, 12.5],
  ['gpt-6-sol', 2, 10, 0.2, 2.5],
  ['gpt-6-luna', 0.1, 0.5, 0.01, 0.125],
  // The bare name stands for Sol.
  ['gpt-5.6', 4, 20, 0.4, 5],
  ['gpt-5.6-sol', 4, 20, 0.4, 5],
  ['gpt-5.6-terra', 2, 12, 0.2, 2.5],
  ['gpt-5.6-luna', 0.2, 1.2, 0.02, 0.25],
  ['gpt-5.5', 5, 30, 0.5, 5],
  ['gpt-5.4', 2.5, 15, 0.25, 2.5],
  ['gpt-5.4-mini', 0.75, 4.5, 0.075, 0.75],
  ['gpt-5.4-nano', 0.2, 1.25, 0.02, 0.2],
  ['gpt-5.2', 1.75, 14, 0.175, 1.75],
  ['gpt-5.1', 1.25, 10, 0.125, 1.25],
  ['gpt-5', 1.25, 10, 0.125, 1.25],
  ['gpt-5-mini', 0.25, 2, 0.025, 0.25],
  ['gpt-5-nano', 0.05, 0.4, 0.005, 0.05],
  ['gpt-4.1', 2, 8, 0.5, 2],
  ['gpt-4.1-mini', 0.4, 1.6, 0.1, 0.4],
  ['gpt-4.1-nano', 0.1, 0.4, 0.025, 0.1],
  ['gpt-4o', 2.5, 10, 1.25, 2.5],
  ['gpt-4o-2024-05-13', 5, 15, 5, 5],
  ['gpt-4o-mini', 0.15, 0.6, 0.075, 0.15],
  ['o4-mini', 1.1, 4.4, 0.275, 1.1],
  ['o3', 2, 8, 0.5, 2],
  ['o3-mini', 1.1, 4.4, 0.55, 1.1],
  ['o1', 15, 60, 7.5, 15],
];

/** In the Regions of the United States; elsewhere they cost more. No price is published for writes. */
const NOVA: readonly Row[] = [
  ['amazon.nova-micro', 0.035, 0.14, 0.00875, 0.035],
  ['amazon.nova-lite', 0.06, 0.24, 0.015, 0.06],
  ['amazon.nova-pro', 0.8, 3.2, 0.2, 0.8],
];

/** Models that charge more for a request with a long prompt: from how many tokens on, and how many times as much. */
const LONG: ReadonlyMap<string, { above: number; prompt: number; output: number }> = new Map([
  ['claude-haiku-5-5', { above: 100_000, prompt: 5, output: 5 }],
  ...[
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6-astra',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-5.6',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-5.5',
    'gpt-5.4',
  ].map((model) => [model, { above: 272_000, prompt: 2, output: 1.5 }] as const),
]);

/** By `provider/model-name`, without the release of a model. */
export const PRICES: ReadonlyMap<string, Price> = new Map([
  ...[...CLAUDE, ...OLDER_CLAUDE].flatMap((row) => [
    [`anthropic/${row[0]}`, toPrice(row)] as const,
    [`bedrock/global.anthropic.${row[0]}`, toPrice(row)] as const,
  ]),
  ...CLAUDE.map((row) => [`bedrock/anthropic.${row[0]}`, times(toPrice(row), 1.1)] as const),
  ...OLDER_CLAUDE.map((row) => [`bedrock/anthropic.${row[0]}`, toPrice(row)] as const),
  ...OPENAI.map((row) => [`openai/${row[0]}`, toPrice(row)] as const),
  ...NOVA.flatMap((row) => [
    [`bedrock/${row[0]}`, toPrice(row)] as const,
    [`bedrock/us.${row[0]}`, toPrice(row)] as const,
  ]),
]);

function toPrice([model, input, output, cacheRead, cacheWrite]: Row): Price {
  const rates: Rates = { input, output, cacheRead, cacheWrite };
  const long = LONG.get(model);
  if (long === undefined) return rates;
  return { ...rates, long: { above: long.above, ...scaled(rates, long.prompt, long.output) } };
}

function times(price: Price, factor: number): Price {
  const { long, ...rates } = price;
  return {
    ...scaled(rates, factor, factor),
    ...(long && { long: { above: long.above, ...scaled(long, factor, factor) } }),
  };
}

function scaled({ input, output, cacheRead, cacheWrite }: Rates, prompt: number, answer: number): Rates {
  return {
    input: input * prompt,
    output: output * answer,
    cacheRead: cacheRead * prompt,
    cacheWrite: cacheWrite * prompt,
  };
}

import type { TokenUsage } from '../../token-usage.ts';

/** US dollars for a million tokens. */
export interface Rates {
  input: number;
  output: number;
  /** For those tokens of the prompt that are read from the provider's cache, in place of `input`. */
  cacheRead: number;
  /** For those tokens of the prompt that are written to it, in place of `input`. */
  cacheWrite: number;
}

export interface Price extends Rates {
  /** The prices of all tokens of a request whose prompt is longer than this many tokens. */
  long?: Rates & { above: number };
}

/** The price of a cache write that is kept for an hour, as a multiple of a token of the prompt (Anthropic). */
const HOUR_OF_CACHE = 2;

/**
 * The cost of one request, in billionths of a dollar, rounded up: a whole number, so that sums of it are exact.
 * @param usage of one request: a sum over several would be taken for one long prompt
 * @param percent of the price, as its service has it
 */
export function costAt(price: Price, usage: TokenUsage, percent = 100): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const forAnHour = Math.min(cacheWriteTokens, usage.cacheWrite1hTokens ?? 0);
  const rates = ratesFor(price, inputTokens);
  const plainTokens = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return toNanoUsd(
    plainTokens * perToken(rates.input) +
      cacheReadTokens * perToken(rates.cacheRead) +
      (cacheWriteTokens - forAnHour) * perToken(rates.cacheWrite) +
      forAnHour * HOUR_OF_CACHE * perToken(rates.input) +
      outputTokens * perToken(rates.output),
    percent,
  );
}

/** In billionths of a dollar, rounded up. */
export interface TokenPrice {
  /** One token of the prompt, charged in the dearest way there is. */
  input: number;
  output: number;
}

/**
 * The most that one token costs in a prompt of up to this many.
 * @param percent as for `costAt`
 * @param isForAnHour whether cache writes are kept for an hour
 */
export function tokenPriceAt(
  price: Price,
  promptTokens: number,
  { percent, isForAnHour }: { percent: number; isForAnHour: boolean },
): TokenPrice {
  const { input, output, cacheRead, cacheWrite } = ratesFor(price, promptTokens);
  const kept = isForAnHour ? HOUR_OF_CACHE * input : 0;
  return {
    input: toNanoUsd(perToken(Math.max(input, cacheRead, cacheWrite, kept)), percent),
    output: toNanoUsd(perToken(output), percent),
  };
}

function ratesFor(price: Price, promptTokens: number): Rates {
  return price.long !== undefined && promptTokens > price.long.above ? price.long : price;
}

/** Trillionths of a dollar for one token: a whole number for every rate of up to six decimals. */
function perToken(rate: number): number {
  return Math.round(rate * 1e6);
}

function toNanoUsd(trillionths: number, percent: number): number {
  return Math.ceil((trillionths * percent) / 100_000);
}

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

/**
 * The cost of one request, in billionths of a dollar, rounded up: a whole number, so that sums of it are exact.
 * @param usage of one request: a sum over several would be taken for one long prompt
 */
export function costAt(price: Price, usage: TokenUsage): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const rates = ratesFor(price, inputTokens);
  const plainTokens = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return toNanoUsd(
    plainTokens * perToken(rates.input) +
      cacheReadTokens * perToken(rates.cacheRead) +
      cacheWriteTokens * perToken(rates.cacheWrite) +
      outputTokens * perToken(rates.output),
  );
}

/** In billionths of a dollar, rounded up. */
export interface TokenPrice {
  /** One token of the prompt, charged in the dearest way there is. */
  input: number;
  output: number;
}

/** The most that one token costs, where the prompt has up to so many of them. */
export function tokenPriceAt(price: Price, promptTokens: number): TokenPrice {
  const { input, output, cacheRead, cacheWrite } = ratesFor(price, promptTokens);
  return {
    input: toNanoUsd(perToken(Math.max(input, cacheRead, cacheWrite))),
    output: toNanoUsd(perToken(output)),
  };
}

function ratesFor(price: Price, promptTokens: number): Rates {
  return price.long !== undefined && promptTokens > price.long.above ? price.long : price;
}

/** Trillionths of a dollar for one token: a whole number for every rate of up to six decimals. */
function perToken(rate: number): number {
  return Math.round(rate * 1e6);
}

function toNanoUsd(trillionths: number): number {
  return Math.ceil(trillionths / 1000);
}

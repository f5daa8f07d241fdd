import { ConfigError } from '../errors.ts';
import type { TokenPrice } from '../pricing/price.ts';
import type { Prices } from '../pricing/prices.ts';
import { NOTHING, type Allowance, type Amounts } from '../runs/amounts.ts';

/** Most tokens of one answer where the agent sets none but its tree has a budget: as much as Anthropic's default. */
const DEFAULT_ANSWER_TOKENS = 4096;

/** An answer that may be no longer than this is hardly one. */
export const SHORTEST_ANSWER_TOKENS = 256;

/** What one call of a model can come to at most. */
export interface CallCost {
  /** Tokens of the answer that is wanted; 0: as long as the model likes. */
  wanted: number;
  /** Tokens without which there is no answer. */
  least: number;
  /** @param prompt tokens of it at most */
  of(prompt: number, answerTokens: number): Amounts;
  /** Tokens of the answer that there is room for, up to what is wanted; negative where the prompt alone is too much. */
  room(prompt: number, left: Amounts): number;
}

/**
 * @param maxTokens of the answer, as its agent sets it; 0: not at all
 * @throws {ConfigError} by `of` and `room`, if there is a limit of dollars and the model's price is not known
 */
export function callCost(model: string, maxTokens: number, budget: Allowance, prices: Prices): CallCost {
  const isBounded = budget.tokens !== undefined || budget.nanoUsd !== undefined;
  const wanted = isBounded ? maxTokens || DEFAULT_ANSWER_TOKENS : maxTokens;
  const priceOf = (prompt: number) => prices.tokenPrice(model, prompt) ?? unpriced(model, budget.nanoUsd);
  return {
    wanted,
    least: isBounded ? 1 : 0,
    of(prompt, answerTokens) {
      const { input, output } = priceOf(prompt);
      const nanoUsd = prompt * input + answerTokens * output;
      return { ...NOTHING, tokens: prompt + answerTokens, nanoUsd, turns: 1 };
    },
    room(prompt, left) {
      const { input, output } = priceOf(prompt);
      const paid = output === 0 ? Infinity : Math.floor((left.nanoUsd - prompt * input) / output);
      return Math.min(wanted, left.tokens - prompt, paid);
    },
  };
}

/** Without a price tokens are counted and dollars are not; a limit of dollars could then not be held. */
function unpriced(model: string, maxNanoUsd: number | undefined): TokenPrice {
  if (maxNanoUsd === undefined) return { input: 0, output: 0 };
  throw new ConfigError(
    `max_usd cannot be enforced: the price of "${model}" is not known; set [prices."${model}"] in config.toml, or limit tokens`,
  );
}

import { ConfigError } from '../../errors.ts';
import { isComputed } from '../model/model-name.ts';
import { searchNanoUsd } from './search-prices.ts';
import type { Service } from '../../token-usage.ts';
import type { TokenPrice } from './price.ts';
import type { Prices } from './prices.ts';
import type { TreeBudget } from '../records/allotment.ts';
import { NOTHING, type Amounts } from '../records/amounts.ts';

/** The longest answer if the agent sets no limit but its tree has a budget, in tokens: Anthropic's default. */
const DEFAULT_ANSWER_TOKENS = 4096;

/** An answer limited to fewer tokens than this is of no use. */
export const SHORTEST_ANSWER_TOKENS = 256;

/** The fewest tokens that an API takes as a limit: OpenAI's Responses has a least of its own. */
const leastFor = (model: string) => (/^(openai|azure)\//.test(model) ? 16 : 1);

/** The most that one call of a model can cost. */
export interface CallCost {
  /** The length of the answer that is wanted, in tokens; 0: as long as the model likes. */
  wanted: number;
  /** The fewest tokens that an answer needs. */
  least: number;
  /** @param prompt its tokens at most */
  of(prompt: number, answerTokens: number): Amounts;
  /** Tokens that there is room for in the answer, up to the wanted number; negative if the prompt alone is too long. */
  room(prompt: number, left: Amounts): number;
}

/**
 * @param maxTokens of the answer, as its agent sets it; 0: no limit
 * @param searches that its provider may make
 * @param service how it is to be served; absent: as usual
 * @throws {ConfigError} by `of` and `room`, if there is a limit of dollars and the model's price is not known
 */
export function callCost(
  model: string,
  maxTokens: number,
  budget: TreeBudget,
  prices: Prices,
  searches = 0,
  service?: Service,
): CallCost {
  if (isComputed(model)) return COMPUTED;
  const dollars = budget.nanoUsd === undefined ? budget.perDay && 'usd_per_day' : 'max_usd';
  const isBounded = budget.tokens !== undefined || dollars !== undefined;
  const wanted = isBounded ? maxTokens || DEFAULT_ANSWER_TOKENS : maxTokens;
  const priceOf = (prompt: number) => prices.tokenPrice(model, prompt, service) ?? unpriced(model, dollars);
  const searching = searches * searchNanoUsd(model);
  return {
    wanted,
    least: isBounded ? Math.min(wanted, leastFor(model)) : 0,
    of(prompt, answerTokens) {
      const { input, output } = priceOf(prompt);
      const nanoUsd = prompt * input + answerTokens * output + searching;
      return { ...NOTHING, tokens: prompt + answerTokens, nanoUsd, turns: 1 };
    },
    room(prompt, left) {
      const { input, output } = priceOf(prompt);
      const paid = output === 0 ? Infinity : Math.floor((left.nanoUsd - searching - prompt * input) / output);
      return Math.min(wanted, left.tokens - prompt, paid);
    },
  };
}

/** A computed answer costs nothing but its turn. */
const COMPUTED: CallCost = { wanted: 0, least: 0, of: () => ({ ...NOTHING, turns: 1 }), room: () => 0 };

/** Without a price, only tokens can be counted, and a limit of dollars could not be enforced. */
function unpriced(model: string, limit: 'max_usd' | 'usd_per_day' | undefined): TokenPrice {
  if (limit === undefined) return { input: 0, output: 0 };
  const instead = limit === 'max_usd' ? ', or limit tokens' : '';
  throw new ConfigError(
    `${limit} cannot be enforced: the price of "${model}" is not known; set [prices."${model}"] in config.toml${instead}`,
  );
}

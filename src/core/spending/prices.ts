import { memoize } from '../../memoize.ts';
import type { Service, TokenUsage } from '../../token-usage.ts';
import { pricedNames } from './model-names.ts';
import { costAt, tokenPriceAt, type Price, type TokenPrice } from './price.ts';
import { PRICES } from './price-table.ts';
import { searchNanoUsd } from './search-prices.ts';
import { percentFor } from './service-prices.ts';

/** Prices by `provider/model-name`. */
export type PricesByModel = ReadonlyMap<string, Price>;

/** The prices of models, in billionths of a dollar; undefined where the price of a model is not known. */
export interface Prices {
  /** The actual cost of one request. */
  costOf(model: string, usage: TokenUsage): number | undefined;
  /**
   * The most that one token costs.
   * @param promptTokens the longest possible prompt, for models whose price follows from that
   * @param service how it is to be served; absent: as usual
   */
  tokenPrice(model: string, promptTokens?: number, service?: Service): TokenPrice | undefined;
}

/** Providers whose models cost nothing: they run on the user's machine, or are computed. */
const FREE = /^(offline|ollama|planned|scripted)\//;
const NOTHING: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * The prices of the table, except those that the user sets. A dated or versioned release of a model has the model's
 * price, unless it has one of its own; a variant with a name of its own does not.
 */
export function createPrices(own: PricesByModel = new Map()): Prices {
  const priceOf = memoize((model) => {
    const names = pricedNames(model);
    const price = firstOf(own, names) ?? firstOf(PRICES, names);
    return price ?? (FREE.test(model) ? NOTHING : undefined);
  });
  return {
    costOf(model, usage) {
      const price = priceOf(model);
      const percent = percentFor(model, usage.service);
      if (price === undefined || percent === undefined) return undefined;
      return costAt(price, usage, percent) + (usage.searches ?? 0) * searchNanoUsd(model);
    },
    tokenPrice(model, promptTokens = Infinity, service?: Service) {
      const price = priceOf(model);
      const percent = percentFor(model, service);
      if (price === undefined || percent === undefined) return undefined;
      return tokenPriceAt(price, promptTokens, { percent, isForAnHour: service === 'batch' });
    },
  };
}

function firstOf(prices: PricesByModel, names: readonly string[]): Price | undefined {
  return names.map((name) => prices.get(name)).find((price) => price !== undefined);
}

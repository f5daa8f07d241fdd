import type { Prices } from '../../src/core/spending/prices.ts';
import { heldOn } from '../../src/core/spending/allot.ts';
import { dayAt } from '../../src/core/records/spent.ts';
import type { Law } from './law.ts';

/** Nanodollars for each token, read or written. */
const PRICE = 1_000;

/** Every model has this price. */
export const ONE_PRICE: Prices = {
  costOf: (_, { inputTokens, outputTokens }) => PRICE * (inputTokens + outputTokens),
  tokenPrice: () => ({ input: PRICE, output: PRICE }),
};

/**
 * What providers have delivered to all trees, counted independently of ledgers and shards.
 * @param most dollars of one day, in billionths; no play lasts longer
 * @param spent tokens of all trees
 * @param isSwept whether amounts that dead functions had taken are looked for
 */
export function withinDays(most: number, spent: () => number, isSwept: boolean): Law {
  return {
    says: 'all trees together spend no more than the limit of the day',
    onAsked: () =>
      PRICE * spent() <= most ? [] : [`${PRICE * spent()} are spent of ${most}, and more is asked`],
    async atRest({ bare, time }) {
      const real = PRICE * spent();
      const day = dayAt(time.now());
      const gone = await heldOn(day, { scope: 'all' }, bare);
      const left: string[] = [];
      for await (const { value } of (await bare.dayShards()).all(day)) left.push(...Object.keys(value.given));
      return [
        ...(real > most ? [`${real} are spent of ${most}`] : []),
        ...(gone < real ? [`${gone} are gone of the day, and ${real} were spent`] : []),
        ...(isSwept && left.length > 0 ? [`${left.join()} have come to rest, and still hold a part`] : []),
      ];
    },
  };
}

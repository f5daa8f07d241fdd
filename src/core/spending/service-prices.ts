import type { Service } from '../../token-usage.ts';
import { pricedNames } from './model-names.ts';

/**
 * What a service costs, in hundredths of the usual price, which goes for all kinds of tokens and for caches. As of
 * 2026-11-26.
 *
 * - Anthropic, batches: https://platform.claude.com/docs/en/build-with-claude/batch-processing
 * - OpenAI, batches and flex: https://developers.openai.com/api/docs/pricing
 * - OpenAI, priority, which is called fast mode by now: https://openai.com/api-fast-mode/
 *
 * What is not listed has no known price.
 */
const PERCENT: Readonly<Record<Service, ReadonlyMap<string, number>>> = {
  batch: new Map([
    ['anthropic', 50],
    ['openai', 50],
  ]),
  flex: new Map([['openai', 50]]),
  priority: new Map([
    ['openai/gpt-5.6', 200],
    ['openai/gpt-5.6-sol', 200],
    ['openai/gpt-5.6-terra', 200],
    ['openai/gpt-5.6-luna', 200],
    ['openai/gpt-5.5', 250],
    ['openai/gpt-5.4', 200],
    ['openai/gpt-5.4-mini', 200],
    ['openai/gpt-5.2', 200],
    ['openai/gpt-5.1', 200],
    ['openai/gpt-5', 200],
    ['openai/gpt-5-mini', 180],
    ['openai/gpt-4.1', 175],
  ]),
};

/** @param model `provider/model-name` @returns undefined where it is not known */
export function percentFor(model: string, service: Service | undefined): number | undefined {
  if (service === undefined) return 100;
  const names = [...pricedNames(model), model.slice(0, model.indexOf('/'))];
  return names.map((name) => PERCENT[service].get(name)).find((percent) => percent !== undefined);
}

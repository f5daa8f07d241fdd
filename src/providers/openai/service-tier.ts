import * as v from 'valibot';
import type { ModelRequest } from '../../core/model/model.ts';
import type { Service } from '../../token-usage.ts';

/** The tiers that a request may ask for: https://developers.openai.com/api/docs/guides/flex-processing */
export type Tier = Exclude<Service, 'batch'>;

/** What decides of a request how it is served. */
export type TieredRequest = Pick<ModelRequest, 'service'>;

export function toTier({ service }: TieredRequest): { service_tier?: Tier } {
  return service === undefined || service === 'batch' ? {} : { service_tier: service };
}

/** The tier that an answer was served in; undefined for the usual one. */
export const servedAs = v.fallback(v.optional(v.picklist(['flex', 'priority'])), undefined);

/** The tier that decides what an answer costs, where one was asked for. */
export function served({ service }: TieredRequest, tier: Tier | undefined) {
  return service === undefined || service === 'batch' ? {} : { service: tier };
}

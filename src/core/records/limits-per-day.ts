import { toNanoUsd } from './nano-usd.ts';
import { defined } from '../../defined.ts';

/** The most that a place, or an agent, may cost on a day in UTC, in billionths of a dollar; absent: no limit. */
export interface LimitsPerDay {
  /** All trees together; of an agent, those at whose top it is. */
  nanoUsd?: number;
  /** Those of each owner; the trees of the account itself have none. */
  nanoUsdPerOwner?: number;
}

/**
 * @param usd dollars as they are written down; absent or 0: no limit
 * @returns undefined if there is no limit
 */
export function limitsPerDay({
  usdPerDay = 0,
  usdPerOwnerPerDay = 0,
}: {
  usdPerDay?: number | undefined;
  usdPerOwnerPerDay?: number | undefined;
}): LimitsPerDay | undefined {
  const limit = (usd: number) => (usd > 0 ? toNanoUsd(usd) : undefined);
  const limits = defined({ nanoUsd: limit(usdPerDay), nanoUsdPerOwner: limit(usdPerOwnerPerDay) });
  return Object.keys(limits).length > 0 ? limits : undefined;
}

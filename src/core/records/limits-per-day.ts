import { ownerKey, type Owned } from './owner.ts';
import type { Run } from './run.ts';
import { toNanoUsd } from './nano-usd.ts';
import { defined } from '../../defined.ts';

/** The most that a place, or an agent, may cost on a day in UTC, in billionths of a dollar; absent: no limit. */
export interface LimitsPerDay {
  /** All trees together; of an agent, those at whose top it is. */
  nanoUsd?: number;
  /** Those of each owner; the trees of the account itself have none. */
  nanoUsdPerOwner?: number;
}

/** A limit that a tree is held to. */
export interface DayLimit {
  /** What it is counted under: a sort key of the store. */
  scope: string;
  nanoUsd: number;
  /** The key that sets it. */
  key: 'usd_per_day' | 'usd_per_owner_per_day';
  /** Whose it is, in words. */
  of: string;
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

/** The limits of a tree, by the run at its top: those of its place, and those of its agent. */
export function dayLimitsOf(
  { agent, owner, issuer }: Pick<Run, 'agent'> & Owned,
  place: LimitsPerDay = {},
  own: LimitsPerDay = {},
): DayLimit[] {
  const person = owner === undefined ? undefined : `owner#${ownerKey(issuer ?? '', owner)}`;
  const limitsIn = ({ nanoUsd, nanoUsdPerOwner }: LimitsPerDay, scope: string, of: string): DayLimit[] => [
    ...(nanoUsd === undefined ? [] : [{ scope, nanoUsd, key: 'usd_per_day' as const, of }]),
    ...(nanoUsdPerOwner === undefined || person === undefined
      ? []
      : [
          {
            scope: `${scope}#${person}`,
            nanoUsd: nanoUsdPerOwner,
            key: 'usd_per_owner_per_day' as const,
            of: `${of} for ${JSON.stringify(owner)}`,
          },
        ]),
  ];
  return [
    ...limitsIn(place, 'all', 'all agents'),
    ...limitsIn(own, `agent#${agent}`, `agent ${JSON.stringify(agent)}`),
  ];
}

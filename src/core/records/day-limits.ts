import type { LimitsPerDay } from './limits-per-day.ts';
import { ownerKeyOf, type Owned } from './owner.ts';
import type { Run } from './run.ts';

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

/** The limits of a tree, by the run at its top: those of its place, and those of its agent. */
export function dayLimitsOf(
  top: Pick<Run, 'agent'> & Owned,
  place: LimitsPerDay = {},
  own: LimitsPerDay = {},
): DayLimit[] {
  const { agent, owner } = top;
  const key = ownerKeyOf(top);
  const person = key && `owner#${key}`;
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

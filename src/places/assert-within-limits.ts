import { dayLimitsOf } from '../core/records/day-limits.ts';
import { limitsPerDay, type LimitsPerDay } from '../core/records/limits-per-day.ts';
import type { Owned } from '../core/records/owner.ts';
import type { RunReads } from '../core/records/ports.ts';
import { dayAt } from '../core/records/spent.ts';
import type { Instant } from '../core/records/times.ts';
import type { PlaceLimits } from '../core/spending/allot.ts';
import { DayLimitError } from './environment-errors.ts';

/** The agent's own limits per day; absent: it sets none, or they are not known here. */
export type AgentLimits = Parameters<typeof limitsPerDay>[0];

export interface DayLimitPorts {
  store: Pick<RunReads, 'dayShards'>;
  now: () => Instant;
  /** Absent: the place has none. */
  limits?: PlaceLimits | undefined;
}

/**
 * Refuses a tree on a day whose limits have nothing left for it. What its calls may cost is checked when it makes them.
 * @throws {DayLimitError}
 */
export async function assertWithinLimits(
  top: { agent: string } & Owned,
  agent: AgentLimits | undefined,
  { store, now, limits }: DayLimitPorts,
): Promise<void> {
  const own: LimitsPerDay | undefined = agent && limitsPerDay(agent);
  const held = dayLimitsOf(top, limits?.perDay, own);
  if (held.length === 0) return;
  const { heldOn } = await import('../core/spending/allot.ts');
  const day = dayAt(now());
  for (const limit of held) {
    const gone = await heldOn(day, limit, store);
    if (gone < limit.nanoUsd) continue;
    const { dayRefusal } = await import('../core/spending/refusal.ts');
    throw new DayLimitError(`${dayRefusal({ limit, held: gone })}: nothing is started before 00:00 UTC`);
  }
}

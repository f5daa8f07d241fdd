import { defined } from '../../defined.ts';
import type { Run, Usage } from './run.ts';
import type { Instant } from './times.ts';
import { usageOf, type Turn } from './turn.ts';
import { ownerOf } from './owner.ts';

/** What a run spent on one day, in UTC. It replaces what was kept of that before: totals only grow. */
export interface DaysSpending extends Pick<
  Run,
  'agent' | 'issuer' | 'model' | 'owner' | 'pack' | 'version' | 'status'
> {
  run: string;
  /** Whether the run began on this day, on which it is counted. */
  begins?: true;
  /** Whether it is the top of a tree. */
  isTop?: true;
  /** Of the turns of that day. */
  usage: Usage;
}

/** `2026-11-23`. @param at ISO 8601, UTC */
export function dayOf(at: string): string {
  return at.slice(0, 10);
}

/** The same of a moment. */
export function dayAt(at: Instant): string {
  return dayOf(new Date(at).toISOString());
}

/**
 * What a run spent, by the day of its turns.
 * @param turns all of its turns
 */
export function spentByDay(run: Run, turns: readonly Turn[]): [day: string, spending: DaysSpending][] {
  const began = dayOf(run.startedAt);
  const { id, agent, model, version, pack, status } = run;
  const common = {
    run: id,
    agent,
    model,
    ...ownerOf(run),
    ...defined({ version, pack }),
    status,
    ...(run.parent === undefined && { isTop: true as const }),
  };
  // Where they are all of one day, what they used is known already.
  const isCounted = turns.length === run.usage.turns;
  const days = new Map<string, Turn[]>([[began, []]]);
  for (const turn of turns) {
    const day = dayOf(turn.at);
    const others = days.get(day);
    if (others === undefined) days.set(day, [turn]);
    else others.push(turn);
  }
  return [...days].map(([day, made]) => [
    day,
    {
      ...common,
      ...(day === began && { begins: true as const }),
      usage: isCounted && made.length === turns.length ? run.usage : usageOf(made),
    },
  ]);
}

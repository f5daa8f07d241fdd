import { defined } from '../../defined.ts';
import { dayAt, dayOf, type DaysSpending } from './spent.ts';
import { REMOTE_MODEL } from './remote-model.ts';
import type { Instant } from './times.ts';

/** Spendings of the same day, agent, model, owner, version and pack, added up. */
export interface SpendingSum extends Pick<
  DaysSpending,
  'agent' | 'issuer' | 'model' | 'owner' | 'pack' | 'version'
> {
  /** Runs that began on that day, and how many of them are the top of a tree. */
  runs: number;
  trees: number;
  succeeded: number;
  failed: number;
  tokens: number;
  nanoUsd: number;
  /** Runs that spent that day what has no known price. */
  unpriced: number;
}

/** Adds up what runs spent on one day. */
export function addUp(spendings: Iterable<DaysSpending>): SpendingSum[] {
  const sums = new Map<string, SpendingSum>();
  for (const { agent, model, owner, issuer, version, pack, usage, ...run } of spendings) {
    const key = JSON.stringify([agent, model, owner, issuer, version, pack]);
    const sum = sums.get(key) ?? { agent, model, ...defined({ owner, issuer, version, pack }), ...NOTHING };
    sums.set(key, {
      ...sum,
      ...(run.begins && {
        runs: sum.runs + 1,
        trees: sum.trees + (run.isTop ? 1 : 0),
        succeeded: sum.succeeded + (run.status === 'succeeded' || run.status === 'idle' ? 1 : 0),
        failed: sum.failed + (run.status === 'failed' || run.status === 'timed_out' ? 1 : 0),
      }),
      tokens: sum.tokens + usage.inputTokens + usage.outputTokens,
      nanoUsd: sum.nanoUsd + (usage.nanoUsd ?? 0),
      unpriced: sum.unpriced + (isUnpriced({ model, usage }) ? 1 : 0),
    });
  }
  return [...sums.values()];
}

/** Whether part of a run's spending has no known price: that of its model, or of a remote agent behind it. */
export function isUnpriced({ model, usage }: Pick<DaysSpending, 'model' | 'usage'>): boolean {
  return usage.turns > 0 && (usage.nanoUsd === undefined || model === REMOTE_MODEL);
}

const NOTHING = { runs: 0, trees: 0, succeeded: 0, failed: 0, tokens: 0, nanoUsd: 0, unpriced: 0 };

const DAY_MS = 86_400_000;

/** The day before another. */
export function dayBefore(day: string): string {
  return dayAt(Date.parse(day) - DAY_MS);
}

/** The days from one moment to a later one, the last one first; none if there are no moments. */
export function daysBetween(first = '', last = ''): string[] {
  const days: string[] = [];
  if (first === '' || last === '') return days;
  const oldest = dayOf(first);
  for (let day = dayOf(last); day > oldest; day = dayBefore(day)) days.push(day);
  return [...days, oldest];
}

/** When a day is over. */
export function endOfDay(day: string): Instant {
  return Date.parse(day) + DAY_MS;
}

import type { Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import { beginsLater } from './call-reader.ts';
import { beginning, type Position } from './positions.ts';
import type { TurnRecords } from './records.ts';

/** How far a sub-agent had been told with its call, if it continues after that. @param since when it first did */
export function toldWithCall(run: Run, turns: readonly TurnRecords[], since: Instant): Position {
  const before = turns.filter(({ turn: { at, shownAt = at } }) => Date.parse(shownAt) < since);
  const closed = { ...beginning(), turn: 1, closedBy: run.holder - 1 };
  const last = before.at(-1);
  if (last === undefined) return closed;
  // Calls of its last turn that were not made are told to have failed once it continues.
  const { turn: made, begins, ends } = last;
  const numbers = (isTold: (index: number) => boolean) =>
    new Set(made.plans.flatMap((_, index) => (isTold(index) ? [index + 1] : [])));
  const isBefore = (at: Instant | undefined) => at !== undefined && at < since;
  const ended = numbers((index) => isBefore(ends[index]?.at));
  // Of one that was not made, the begin of the turn is taken for its own.
  const wasMade = (index: number) => !beginsLater(made.plans[index]) || begins[index] !== Date.parse(made.at);
  const begun = numbers((index) => ended.has(index + 1) || (isBefore(begins[index]) && wasMade(index)));
  return { ...closed, turn: before.length, told: 2, begun, ended };
}

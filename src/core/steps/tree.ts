import { refused, type Plan } from '../records/plan.ts';
import type { CallOf } from './kind.ts';
import { planned } from './kinds.ts';

/** The runs that the calls of a turn start, by the index of their plan. */
export function startedRuns(plans: readonly Plan[], at: Omit<CallOf, 'call'>): Map<number, string> {
  const started = new Map<number, string>();
  plans.forEach((plan, index) => {
    const run = planned(plan).startedRun({ ...at, call: index + 1 });
    if (run !== undefined) started.set(index, run);
  });
  return started;
}

/**
 * The plans of a turn; plans for which the tree has no room are refused.
 * @param started the runs that they start, in call order: the first ones have room
 * @param granted how many of them there is room for
 * @param max how many a tree may have, for the message
 */
export function withinTree(
  plans: readonly Plan[],
  started: ReadonlyMap<number, string>,
  granted: number,
  max: number,
): Plan[] {
  const refusedOnes = new Set([...started.keys()].slice(granted));
  return plans.map((plan, index) =>
    refusedOnes.has(index) ? refused(`Error: the tree has reached its ${max} ${REFUSED}`) : plan,
  );
}

const REFUSED = 'sub-agent runs; continue with the results so far';

/** Whether a call was refused because its tree had no room for what it starts. */
export function hadNoRoom(plan: Plan): boolean {
  return plan.kind === 'done' && plan.isError && plan.text.endsWith(REFUSED);
}

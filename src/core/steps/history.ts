import { nameInArn } from '../../arn.ts';
import { COSTS, MAX_PLANNED_EVENTS } from '../machine/costs.ts';
import { refused, type Plan } from '../records/plan.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { planned } from './kinds.ts';

const FULL =
  'Error: too many tool calls in one run: the history of its execution is full; continue with the results so far';

/**
 * The plans of a turn, each counted at its worst; plans for which the history of the execution has no room are refused.
 * @param before the plans of the turns that the same execution made before, in order; none for one that answered and
 *   continued
 */
export function withinHistory(plans: readonly Plan[], before: readonly (readonly Plan[])[]): Plan[] {
  let events = eventsOf(before);
  const added = addedEvents(plans);
  return plans.map((plan, index) => {
    events += added[index] ?? 0;
    return planned(plan).worstCost !== undefined && events > MAX_PLANNED_EVENTS ? refused(FULL) : plan;
  });
}

/** Whether an execution that is idle again would come too near the end of its history. @param before as above */
export function isFull(before: readonly (readonly Plan[])[]): boolean {
  return eventsOf(before) + COSTS.idling.events > MAX_PLANNED_EVENTS;
}

/** The plans of the turns that were made in the execution which carries a run, in order. */
export function plansOfExecution(
  { id, execution }: Pick<Run, 'id' | 'execution'>,
  turns: readonly Turn[],
): Plan[][] {
  const name = nameInArn(execution);
  return turns.filter((turn) => (turn.execution ?? id) === name).map(({ plans }) => plans);
}

function eventsOf(turns: readonly (readonly Plan[])[]): number {
  const around = COSTS.opening.events + COSTS.answering.events;
  return turns.reduce((events, plans) => events + eventsOfTurn(plans), around);
}

/** Each turn asks for the sum of the turns of its conversation. */
const known = new WeakMap<readonly Plan[], number>();

function eventsOfTurn(plans: readonly Plan[]): number {
  const before = known.get(plans);
  if (before !== undefined) return before;
  let events = plans.length === 0 ? COSTS.idling.events : 0;
  for (const added of addedEvents(plans)) events += added;
  known.set(plans, events);
  return events;
}

/**
 * The events that each plan of a turn adds to the history. The first counts for the turn as well, and the first of a
 * wave for the wave.
 */
function addedEvents(plans: readonly Plan[]): number[] {
  let wave: number | undefined;
  return plans.map((plan, index) => {
    const { worstCost, atOnce } = planned(plan);
    let events = index === 0 ? COSTS.acting.events : 0;
    if (worstCost === undefined) return events;
    if (wave !== atOnce) events += COSTS.wave.events;
    wave = atOnce;
    return events + worstCost.events;
  });
}

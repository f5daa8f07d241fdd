import { AgentError } from '../errors.ts';
import { executionCosts, MAX_EVENTS, sum, times, type Cost } from './execution-cost.ts';
import type { Turn } from './run.ts';

/**
 * Left for retries, of three events each: 800 of them. Throttled starts may be retried five times each, and of what a
 * conversation has had of them nothing is known here.
 */
const RESERVED_EVENTS = 2_500;

/** The most events that a conversation may plan for. */
export const EVENT_LIMIT = MAX_EVENTS - RESERVED_EVENTS;

const costs = executionCosts();

/**
 * The most events that an execution has had when it ends, retries aside.
 * @param turns that made calls; one more comes after them, which answers or fails
 * @param steps of all these turns together, as if none of them had answered
 */
export function eventsAtMost(turns: number, steps: number): number {
  const last = larger(costs.answering, costs.failing);
  const step = larger(costs.step, costs.failedStep);
  return sum(costs.opening, times(turns, costs.acting), times(steps, step), last).events;
}

/** The most steps that a conversation of so many turns with calls may have. */
export function stepsAtMost(turns: number): number {
  const each = eventsAtMost(turns, 1) - eventsAtMost(turns, 0);
  return Math.floor((EVENT_LIMIT - eventsAtMost(turns, 0)) / each);
}

/**
 * Holds a conversation to what one execution can record, before the calls of its newest turn are acted on. All turns
 * count, even where a run was resumed: nobody should have to know how often it was.
 * @throws {AgentError} if they could fill the history, which would end the execution with `States.Runtime`
 */
export function assertFitsHistory(turns: readonly Turn[]): void {
  const steps = turns.flatMap(({ plans }) => plans.filter(({ kind }) => kind !== 'done')).length;
  if (eventsAtMost(turns.length, steps) <= EVENT_LIMIT) return;
  throw new AgentError(
    `agent exceeded what one execution can record: ${steps} calls in ${turns.length} turns could pass its ${MAX_EVENTS} events; give it less to do, or let its sub-agents make some of the calls`,
  );
}

function larger(one: Cost, other: Cost): Cost {
  return one.events > other.events ? one : other;
}

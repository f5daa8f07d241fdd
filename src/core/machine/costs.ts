/**
 * The cost of an execution of the machine: states entered, which are billed, and events of its history, which end at
 * 25,000. A test holds these numbers against the histories of executions.
 */

/** A hard limit: the next event ends the execution with `States.Runtime`, which nothing catches (quotas). */
export const MAX_EVENTS = 25_000;

/**
 * The most events that turns may plan, counting each call at its worst. The rest is for unplanned events: retries after
 * faults of services, at three events each.
 */
export const MAX_PLANNED_EVENTS = 20_000;

/** The cost of a part of an execution, without retries: each of those adds one billed state and three events. */
export interface Cost {
  states: number;
  events: number;
}

/** Events of one state of each type, from entering to leaving it (Step Functions, "Execution events"). */
export const CHOICE = { states: 1, events: 2 };
const MAP = { states: 1, events: 4 };
const WAIT = { states: 1, events: 2 };
const FAIL = { states: 1, events: 1 };
export const INVOKE = { states: 1, events: 5 };
/**
 * The states and events that each iteration of `Act` adds to the work itself: its start, its end, and the choice of its
 * kind.
 */
export const ITERATION = sum({ states: 0, events: 2 }, CHOICE);
/** A task that waits for more than its own answer has an event for its submission, too. */
export const AWAITED = { states: 1, events: 6 };
export const SUCCEED = { states: 1, events: 2 };
/** A person's approval before a step acts: the question, whether it was approved, and the choice of its kind. */
export const GATE = sum(AWAITED, CHOICE, CHOICE);

/** Parts of an execution of `CONVERSATION`; the kinds of steps say what the iterations of `Act` add. */
export const COSTS = {
  /** From the start to the first turn, with the first and the last event of the history. */
  opening: sum({ states: 0, events: 2 }, INVOKE),
  /** A turn that makes calls. */
  acting: sum(INVOKE, CHOICE),
  /** A wave of its calls: the Map, and the choice whether there are more waves. */
  wave: sum(MAP, CHOICE),
  /** The last wave of a turn, if its calls are all of tools or all of sub-agents: see `withoutChoice`. */
  lastWave: MAP,
  /** A turn whose model could not answer, and the wait until it is asked again. */
  waiting: sum(INVOKE, CHOICE, WAIT),
  /** A turn whose model is asked in a batch, until it is made of the answer. */
  batching: sum(INVOKE, CHOICE, AWAITED),
  /** An agent that has answered and waits for others, until its next turn. */
  idling: sum(INVOKE, CHOICE, AWAITED),
  /** The last turn, until the end. */
  answering: sum(INVOKE, CHOICE, SUCCEED),
  /** A turn that fails, until the end. */
  failing: sum(INVOKE, INVOKE, FAIL),
};

/**
 * What hooks add to a call at their worst: they are asked in a pass of their own, then a person, then again about what
 * that person changed, and about the result. One pass is a turn's look at what is left, and a wave.
 */
export const HOOKED = [1, 2, 3, 4].flatMap(() => [COSTS.acting, COSTS.wave, ITERATION, AWAITED, SUCCEED]);

/** Adds up states and events. */
export function sum(...parts: readonly Cost[]): Cost {
  return parts.reduce(
    (total, part) => ({ states: total.states + part.states, events: total.events + part.events }),
    { states: 0, events: 0 },
  );
}

/** The cost of a call in a last wave of one kind, where nothing has to ask which kind it is. */
export function withoutChoice(call: Cost): Cost {
  return sum(call, times(-1, CHOICE));
}

export function times(count: number, { states, events }: Cost): Cost {
  return { states: count * states, events: count * events };
}

/**
 * What an execution of the machine costs: states entered, which are billed, and events of its history, which end at
 * 25,000. A test holds these numbers against the histories of executions.
 */

/** Hard; the event beyond it ends the execution with `States.Runtime`, which nothing catches (Step Functions, quotas). */
export const MAX_EVENTS = 25_000;

/**
 * What turns may plan for, each call at its worst. The rest is for what nobody plans: faults of services, which are
 * tried again with three events each.
 */
export const MAX_PLANNED_EVENTS = 20_000;

/** What a part of an execution comes to. Retries come on top: one state, as billed, and three events each. */
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
/** What each iteration of `Act` adds to what its kind does: started, and succeeded, and the question of its kind. */
export const ITERATION = sum({ states: 0, events: 2 }, CHOICE);
/** A task that waits for more than its own answer is submitted, too. */
export const NESTED_EXECUTION = { states: 1, events: 6 };
export const SUCCEED = { states: 1, events: 2 };

/** Parts of an execution of `CONVERSATION`; what the iterations of `Act` add is told by the kinds of steps. */
export const COSTS = {
  /** From the start until the first turn, with the first event of the history and the last. */
  opening: sum({ states: 0, events: 2 }, INVOKE),
  /** A turn that makes calls. */
  acting: sum(INVOKE, CHOICE),
  /** A wave of its calls: the Map, which is entered even for none, and the question whether there are more. */
  wave: sum(MAP, CHOICE),
  /** A turn whose model could not answer, and the wait until it is asked again. */
  waiting: sum(INVOKE, CHOICE, WAIT),
  /** The last turn, until the end. */
  answering: sum(INVOKE, CHOICE, SUCCEED),
  /** A turn that fails, until the end. */
  failing: sum(INVOKE, INVOKE, FAIL),
};

/** What is added up is added up part by part. */
export function sum(...parts: readonly Cost[]): Cost {
  return parts.reduce(
    (total, part) => ({ states: total.states + part.states, events: total.events + part.events }),
    { states: 0, events: 0 },
  );
}

export function times(count: number, { states, events }: Cost): Cost {
  return { states: count * states, events: count * events };
}

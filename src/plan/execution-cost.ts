import definition from '../../infra/conversation.asl.json' with { type: 'json' };

/**
 * What an execution of the machine costs: states entered, which are billed, and events of its history, which end at
 * 25,000. Both are read off the definition, so that they cannot part from it.
 */

/** Hard; the event beyond it ends the execution with `States.Runtime`, which nothing catches (Step Functions, quotas). */
export const MAX_EVENTS = 25_000;

/** What a part of an execution comes to. Retries come on top: one state, as billed, and three events each. */
export interface Cost {
  states: number;
  events: number;
}

export interface ExecutionCosts {
  /** From the start until the first turn. */
  opening: Cost;
  /** A turn that makes calls, with the Map that carries them out, which it enters even for none. */
  acting: Cost;
  /** One step of such a turn: a sub-agent that answers. */
  step: Cost;
  /** One that does not. */
  failedStep: Cost;
  /** The last turn, until the end. */
  answering: Cost;
  /** A turn that fails, until the end. */
  failing: Cost;
}

interface State {
  Type: string;
  Resource?: string;
  Next?: string;
  Default?: string;
  Choices?: { Next: string }[];
  Catch?: { Next: string }[];
  ItemProcessor?: States;
}

interface States {
  StartAt: string;
  States: Record<string, State>;
}

/** Events of a state that is entered and left, by type; "State machine data" and recorded histories. */
const EVENTS: Readonly<Record<string, number>> = { Choice: 2, Fail: 1, Map: 4, Pass: 2, Succeed: 2, Wait: 2 };
/** Entered, scheduled, started, succeeded or failed, exited. */
const EVENTS_OF_TASK = 5;
/** What waits for more than its own answer is submitted too. */
const SUBMITTED = /\.(sync|sync:2|waitForTaskToken)$/;
/** Started and succeeded: what each iteration of a Map adds. */
const ITERATION: Cost = { states: 0, events: 2 };
/** An execution's first event and its last. */
const ENDS: Cost = { states: 0, events: 2 };

/** @throws {TypeError} if the definition is not a loop of turns around one Map */
export function executionCosts({ StartAt, States }: States = definition): ExecutionCosts {
  const act = find(States, (state) => state.Type === 'Map');
  const { Next: turn = '', ItemProcessor: iteration } = stateOf(States, act);
  if (iteration === undefined) throw new TypeError(`the Map "${act}" has no ItemProcessor`);
  const isEnd = (name: string) => ['Succeed', 'Fail'].includes(stateOf(States, name).Type);
  const stepStates = iteration.States;
  const answersStep = (name: string) => successors(stateOf(stepStates, name)).length === 0;
  const step = path(stepStates, iteration.StartAt, answersStep);
  return {
    opening: sum(ENDS, ...costs(States, path(States, StartAt, (name) => name === turn).slice(0, -1))),
    acting: sum(
      ...costs(
        States,
        path(States, turn, (name) => name === act),
      ),
    ),
    step: sum(ITERATION, ...costs(stepStates, step)),
    failedStep: sum(
      ITERATION,
      ...costs(stepStates, step),
      ...costs(stepStates, path(stepStates, caught(stepStates, iteration.StartAt), answersStep)),
    ),
    answering: sum(...costs(States, path(States, turn, isEnd))),
    failing: sum(costOf(stateOf(States, turn)), ...costs(States, path(States, caught(States, turn), isEnd))),
  };
}

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

function costs(states: States['States'], names: readonly string[]): Cost[] {
  return names.map((name) => costOf(stateOf(states, name)));
}

function costOf({ Type, Resource = '' }: State): Cost {
  const events =
    Type === 'Task' ? (SUBMITTED.test(Resource) ? EVENTS_OF_TASK + 1 : EVENTS_OF_TASK) : EVENTS[Type];
  if (events === undefined) throw new TypeError(`nobody has counted the events of a ${Type} state`);
  return { states: 1, events };
}

/** The shortest way from a state to one that is looked for, both included. */
function path(states: States['States'], from: string, isWanted: (name: string) => boolean): string[] {
  const ways = [[from]];
  const seen = new Set<string>();
  for (const way of ways) {
    const name = way.at(-1) ?? '';
    if (isWanted(name)) return way;
    if (seen.has(name)) continue;
    seen.add(name);
    ways.push(...successors(stateOf(states, name)).map((next) => [...way, next]));
  }
  throw new TypeError(`the definition has no way on from "${from}"`);
}

function successors({ Next, Default, Choices = [] }: State): string[] {
  return [...Choices.map((choice) => choice.Next), Default, Next].filter((name) => name !== undefined);
}

function caught(states: States['States'], name: string): string {
  const next = stateOf(states, name).Catch?.at(-1)?.Next;
  if (next === undefined) throw new TypeError(`the state "${name}" catches nothing`);
  return next;
}

function find(states: States['States'], isWanted: (state: State) => boolean): string {
  const names = Object.keys(states).filter((name) => isWanted(stateOf(states, name)));
  const [name] = names;
  if (name === undefined || names.length > 1) throw new TypeError('the definition has not exactly one Map');
  return name;
}

function stateOf(states: States['States'], name: string): State {
  const state = states[name];
  if (state === undefined) throw new TypeError(`the definition has no state "${name}"`);
  return state;
}

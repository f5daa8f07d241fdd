import type {
  ChoiceRule,
  ChoiceState,
  FailState,
  FallibleState,
  Retrier,
  State,
  States,
  TextField,
  WaitState,
} from '../definition/definition.ts';
import { parseTimestamp } from '../definition/field-checks.ts';
import { Cancelled, matchesError, StateFailure } from '../executions/errors.ts';
import type { Execution } from '../executions/execution.ts';
import { Thread, type Exit, type RunStates } from '../executions/thread.ts';
import { Visit } from '../executions/visit.ts';
import { EvaluationError } from '../expressions/expression.ts';
import type { JsonObject } from '../../json.ts';
import { whenThere, type Soon } from '../expressions/soon.ts';
import { enterMap, enterParallel } from './map-and-parallel.ts';
import { enterTask } from './task.ts';

/** The longest that the service lets a Wait state wait, more than three years. */
const MAX_WAIT_SECONDS = 99_999_999;

/**
 * Begins to run an execution that has started.
 * @param earlier the thread of the execution that is redriven, where it is one
 * @returns its thread, to redrive it by
 */
export function runExecution(execution: Execution, earlier?: Thread): Thread {
  const { cancellation, events } = execution;
  const thread =
    earlier?.redriven(execution, cancellation, events.length) ??
    new Thread(execution, cancellation, {}, 0, undefined);
  void NOW.then(() => runToEnd(thread));
  return thread;
}

async function runToEnd(thread: Thread): Promise<void> {
  const { execution } = thread;
  const { definition, input } = execution.seed;
  try {
    const output = await runStates(thread, definition, input);
    execution.succeed(thread.lastEventId, output);
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) execution.fail(thread.lastEventId, thrown);
  }
}

/** Resolves after the work that is currently under way. */
const NOW = Promise.resolve();

const runStates: RunStates = async (thread, { startAt, states }, input) => {
  let position = thread.position ?? { next: startAt, output: input };
  while ('state' in position || position.next !== undefined) {
    const visit = 'state' in position ? Visit.again(thread, position) : begin(thread, states, position);
    // Threads that start together enter their states before any of them goes on.
    await NOW;
    try {
      const exit = enter(visit, visit.state);
      position = exit instanceof Promise ? await exit : exit;
    } catch (thrown) {
      throw visit.toFailure(thrown);
    }
  }
  return position.output;
};

function begin(thread: Thread, states: States['states'], { next = '', output }: Exit): Visit {
  const state = states.get(next);
  if (state === undefined) throw new TypeError(`there is no state "${next}"`);
  return Visit.enter(thread, state, output);
}

function enter(visit: Visit, state: State): Soon<Exit> {
  switch (state.type) {
    case 'Pass':
    case 'Succeed':
      return visit.exit(state, visit.input);
    case 'Fail':
      return enterFail(visit, state);
    case 'Choice':
      return enterChoice(visit, state);
    case 'Wait':
      return enterWait(visit, state);
    case 'Task':
      return withRetryAndCatch(visit, state, () => enterTask(visit, state));
    case 'Parallel':
      return withRetryAndCatch(visit, state, () => enterParallel(visit, state, runStates));
    case 'Map':
      return withRetryAndCatch(visit, state, () => enterMap(visit, state, runStates));
  }
}

/** Takes the first rule, from the given one on, whose condition holds. */
function enterChoice(visit: Visit, state: ChoiceState, from = 0): Soon<Exit> {
  const rule = state.rules[from];
  if (rule !== undefined) {
    return whenThere(isMet(visit, rule.condition), (isTaken) =>
      isTaken ? visit.exit(rule, visit.input) : enterChoice(visit, state, from + 1),
    );
  }
  if (state.otherwise !== undefined) return visit.exit(state.otherwise, visit.input);
  throw visit.runtimeFailure(
    'Failed to transition out of the state. The state does not point to a next state.',
  );
}

function isMet(visit: Visit, condition: ChoiceRule['condition']): Soon<boolean> {
  return typeof condition === 'boolean' ? condition : visit.valueOf(condition, 'boolean');
}

/** Always fails, with the Error and Cause that the state gives. */
async function enterFail(visit: Visit, state: FailState): Promise<never> {
  const error = state.error === undefined ? undefined : await visit.text(state.error);
  const cause = state.cause === undefined ? undefined : await visit.text(state.cause);
  throw new StateFailure(error, cause);
}

/** Waits for some seconds or until a time. A time that has passed is no wait. */
async function enterWait(visit: Visit, state: WaitState): Promise<Exit> {
  const { thread } = visit;
  const { until } = state;
  const delay =
    'seconds' in until
      ? 1000 *
        (await visit.number(until.seconds, 'Seconds', isWait, `an integer from 0 to ${MAX_WAIT_SECONDS}`))
      : (await timeOf(visit, until.timestamp)) - thread.execution.environment.clock.now();
  if (delay > 0) await thread.sleep(delay);
  return visit.exit(state, visit.input);
}

const isWait = (seconds: number) => Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_WAIT_SECONDS;

async function timeOf(visit: Visit, timestamp: TextField): Promise<number> {
  const text = await visit.text(timestamp);
  const time = parseTimestamp(text);
  if (time !== undefined) return time;
  throw new EvaluationError(
    `The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: ${text}`,
    'Timestamp',
  );
}

/**
 * Runs a state that can fail: again as its Retry has it, and on to where its Catch leads.
 * @throws StateFailure if neither takes the failure
 */
async function withRetryAndCatch(
  visit: Visit,
  state: FallibleState & State,
  attempt: () => Soon<Exit>,
): Promise<Exit> {
  const retries = new Map<Retrier, number>();
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      const failure = visit.toFailure(thrown);
      if (await mayRetry(visit, state, failure, retries)) {
        visit.entered.parts = [];
        continue;
      }
      // A Task has recorded its own failure, and only its last event says why the execution ends.
      if (state.type !== 'Task' && failure.errorName !== 'States.Runtime') {
        visit.thread.record(`${state.type}StateFailed`);
      }
      const catcher = state.catch.find(({ errors }) => matchesError(errors, failure));
      if (catcher === undefined) throw failure;
      const errorOutput = toErrorOutput(failure);
      return await visit.exit(catcher, errorOutput, { errorOutput });
    }
  }
}

/** Waits as the first retrier has it that lists the failure, if that has attempts left. */
async function mayRetry(
  visit: Visit,
  state: FallibleState,
  failure: StateFailure,
  retries: Map<Retrier, number>,
): Promise<boolean> {
  const retrier = state.retry.find(({ errors }) => matchesError(errors, failure));
  if (retrier === undefined) return false;
  const done = retries.get(retrier) ?? 0;
  if (done >= retrier.maxAttempts) return false;
  retries.set(retrier, done + 1);
  visit.retry();
  const { thread } = visit;
  await thread.sleep(1000 * retryDelaySeconds(retrier, done, thread.execution.environment.random()));
  return true;
}

/**
 * Seconds before a retry: the interval, multiplied by the backoff rate for each retry before, up to the greatest
 * delay; with full jitter anything from none of it to all.
 * @param random from 0 up to 1
 */
function retryDelaySeconds(retrier: Retrier, retriesBefore: number, random: number): number {
  const grown = retrier.intervalSeconds * retrier.backoffRate ** retriesBefore;
  const delay = Math.min(grown, retrier.maxDelaySeconds);
  return retrier.fullJitter ? delay * random : delay;
}

function toErrorOutput({ errorName = '', causeText = '' }: StateFailure): JsonObject {
  return { Error: errorName, Cause: causeText };
}

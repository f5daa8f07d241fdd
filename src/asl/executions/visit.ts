import type { Json, JsonObject } from '../../json.ts';
import type { Assign, NumberField, State, TextField } from '../definition/definition.ts';
import {
  evaluateMembers,
  evaluateTemplate,
  EvaluationError,
  type Expression,
  type Template,
} from '../expressions/expression.ts';
import type { Scope } from '../expressions/scope.ts';
import { whenThere, type Soon } from '../expressions/soon.ts';
import { dataLimitFailure, StateFailure } from './errors.ts';
import type { EventDetails } from './execution.ts';
import type { Clock } from './ports.ts';
import type { Entered, Exit, Thread } from './thread.ts';

/** The members that an expression finds in `$states` beside the input and the context. */
export type StateOutcome = { result: Json } | { errorOutput: Json };

/** The types that a field may ask of its expression, by the words of the service. */
interface Types {
  string: string;
  number: number;
  boolean: boolean;
  array: Json[];
}

const TYPES: { [T in keyof Types]: (value: Json) => value is Types[T] } = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
};

/** One visit of a thread to a state: from the event of entering to that of leaving. */
export class Visit {
  /** Retries so far, as the context object tells them. */
  retryCount = 0;
  /** `Task.Token` of the context object. */
  taskToken: string | undefined;
  /**
   * The values that expressions see during an attempt at the state: the context, and the scope shared by those that
   * refer to no outcome.
   */
  #context: JsonObject | undefined;
  #ownScope: Scope | undefined;

  private constructor(
    readonly thread: Thread,
    readonly entered: Entered,
  ) {}

  get state(): State {
    return this.entered.state;
  }

  get input(): Json {
    return this.entered.input;
  }

  /** Enters a state, recording the event. */
  static enter(thread: Thread, state: State, input: Json): Visit {
    const previousEventId = thread.lastEventId;
    const id = thread.record(`${state.type}StateEntered`, { name: state.name, input });
    const time = thread.execution.environment.clock.now();
    return Visit.#in(thread, { state, input, id, previousEventId, time, parts: [] });
  }

  /** Takes up a state again that an earlier thread entered and did not leave. No event records it. */
  static again(thread: Thread, entered: Entered): Visit {
    return Visit.#in(thread, { ...entered, parts: [...entered.parts] });
  }

  static #in(thread: Thread, entered: Entered): Visit {
    thread.position = entered;
    return new Visit(thread, entered);
  }

  /** The same visit as seen from a thread within the state. */
  within(thread: Thread): Visit {
    const visit = new Visit(thread, this.entered);
    visit.retryCount = this.retryCount;
    return visit;
  }

  /** Begins the state's next attempt, which its expressions can see. */
  retry(): void {
    this.retryCount++;
    this.#forget();
  }

  /** Gives the attempt a token of its own. */
  issueToken(): void {
    this.taskToken = this.thread.execution.environment.tokens.issue();
    this.#forget();
  }

  get #clock(): Clock {
    return this.thread.execution.environment.clock;
  }

  /** @throws EvaluationError */
  evaluate(template: Template, outcome?: StateOutcome): Soon<Json> {
    return template.kind === 'constant'
      ? template.value
      : evaluateTemplate(template, this.#scope(outcome), this.#clock);
  }

  /**
   * Evaluates a template for an input, an output or a variable.
   * @throws EvaluationError; StateFailure States.DataLimitExceeded
   */
  data(template: Template, outcome?: StateOutcome): Soon<Json> {
    return whenThere(this.evaluate(template, outcome), (value) => {
      // The input has been an output before.
      if (value !== this.input) this.checkSize(value);
      return value;
    });
  }

  /** @throws StateFailure States.DataLimitExceeded */
  checkSize(result: Json): void {
    const failure = dataLimitFailure(result, this.state.name);
    if (failure === undefined) return;
    // A redrive runs all of it again (Step Functions, "Redrive behavior of individual states").
    this.entered.parts = [];
    throw failure;
  }

  /** @throws EvaluationError unless the expression gives a value of the type */
  valueOf<T extends keyof Types>(expression: Expression, type: T): Soon<Types[T]> {
    return whenThere(expression.evaluate(this.#scope(), this.#clock), (value) => {
      const isOfType = TYPES[type];
      if (isOfType(value)) return value;
      throw expression.unexpectedType(type, value);
    });
  }

  /** @throws EvaluationError unless the field is, or gives, a text */
  text(field: TextField): Soon<string> {
    return typeof field === 'string' ? field : this.valueOf(field, 'string');
  }

  /** @throws EvaluationError unless the field is, or gives, a number that `accepts` takes */
  number(field: NumberField, name: string, accepts: (value: number) => boolean, kind: string): Soon<number> {
    return whenThere(typeof field === 'number' ? field : this.valueOf(field, 'number'), (value) => {
      if (accepts(value)) return value;
      throw new EvaluationError(`The ${name} field must be ${kind} but was: ${value}`, name);
    });
  }

  /**
   * Leaves the state: computes what it assigns and gives, both from the variables as they were on entering, and
   * records the event.
   */
  exit(
    fields: { output: Template | undefined; assign: Assign | undefined; next: string | undefined },
    otherwise: Json,
    outcome?: StateOutcome,
  ): Soon<Exit> {
    const { output, assign, next } = fields;
    return whenThere(assign && this.#evaluateAssign(assign, outcome), (assigned) =>
      whenThere(output === undefined ? otherwise : this.data(output, outcome), (value) =>
        this.#leave(value, next, assigned),
      ),
    );
  }

  #leave(output: Json, next: string | undefined, assigned: JsonObject | undefined): Exit {
    const { thread, state } = this;
    const details: EventDetails = { name: state.name, output };
    if (assigned !== undefined) details.assignedVariables = assigned;
    thread.record(`${state.type}StateExited`, details);
    if (assigned !== undefined) Object.assign(thread.variables, assigned);
    const exit = { output, next };
    thread.position = exit;
    return exit;
  }

  /**
   * Turns anything thrown into a failure of the state, and records an evaluation that failed.
   * @throws anything that is no failure of the state, `Cancelled` first of all
   */
  toFailure(thrown: unknown): StateFailure {
    if (thrown instanceof StateFailure) return thrown;
    if (!(thrown instanceof EvaluationError)) throw thrown;
    const { thread, state } = this;
    const cause = `An error occurred while executing the state '${state.name}' (entered at the event id #${this.entered.id}). ${thrown.message}`;
    // The service evaluates in the same step in which it enters the state, and so the event follows on the earlier
    // ones. A Wait state is entered in a step of its own.
    if (thread.lastEventId === this.entered.id && state.type !== 'Wait') {
      thread.lastEventId = this.entered.previousEventId;
    }
    thread.record('EvaluationFailed', {
      error: 'States.QueryEvaluationError',
      cause,
      location: thrown.location,
      state: state.name,
    });
    return new StateFailure('States.QueryEvaluationError', cause);
  }

  /** A failure that nothing can catch, in the words of the service. */
  runtimeFailure(message: string): StateFailure {
    const where = `An error occurred while executing the state '${this.state.name}' (entered at the event id #${this.entered.id}).`;
    return new StateFailure('States.Runtime', `${where} ${message}`);
  }

  #evaluateAssign(assign: Assign, outcome: StateOutcome | undefined): Soon<JsonObject> {
    return evaluateMembers(assign, (template) => this.data(template, outcome));
  }

  #scope(outcome?: StateOutcome): Scope {
    if (outcome === undefined && this.#ownScope !== undefined) return this.#ownScope;
    const states: JsonObject = { input: this.input, context: (this.#context ??= this.#toContext()) };
    const scope: Scope = { variables: this.thread.variables, states: Object.assign(states, outcome) };
    if (outcome === undefined) this.#ownScope = scope;
    return scope;
  }

  #forget(): void {
    this.#context = undefined;
    this.#ownScope = undefined;
  }

  #toContext(): JsonObject {
    const { thread, state, taskToken } = this;
    const { Execution, StateMachine } = thread.execution.context;
    const context: JsonObject = {
      Execution,
      StateMachine,
      State: {
        Name: state.name,
        EnteredTime: timestamp(this.entered.time),
        RetryCount: this.retryCount,
      },
    };
    if (thread.mapContext !== undefined) context['Map'] = thread.mapContext;
    if (taskToken !== undefined) context['Task'] = { Token: taskToken };
    return context;
  }
}

let latest = { time: NaN, text: '' };

/** Many states are entered within a millisecond, and to write its date takes longer than most of what they do. */
function timestamp(time: number): string {
  if (time !== latest.time) latest = { time, text: new Date(time).toISOString() };
  return latest.text;
}

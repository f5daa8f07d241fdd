import type { Json } from '../json.ts';
import { Cancellation } from './cancellation.ts';
import type { Clock } from './clock.ts';
import type { Definition } from './definition.ts';
import { Cancelled, StateFailure } from './failure.ts';
import { MAX_EVENTS, type EventDetails, type HistoryEvent } from './history.ts';
import type { JsonObject } from './json-value.ts';
import type { InvokeLambda } from './lambda.ts';
import { runStates } from './run-states.ts';
import type { TaskTokens } from './task-tokens.ts';
import { Thread } from './thread.ts';
import { scopeWithin } from './variables.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** What all executions share. */
export interface Environment {
  clock: Clock;
  /** A number from 0 up to 1, for jitter. */
  random: () => number;
  region: string;
  invokeLambda: InvokeLambda;
  tokens: TaskTokens;
  /** @throws StatesApiError as the API's StartExecution */
  startExecution(request: { stateMachineArn: string; name?: string | undefined; input: Json }): Execution;
}

/** What an execution is started with. */
export interface ExecutionSeed {
  executionArn: string;
  name: string;
  stateMachineArn: string;
  stateMachineName: string;
  roleArn: string;
  definition: Definition;
  input: Json;
  onStatusChange: (execution: Execution) => void;
}

/** One run of a state machine. */
export class Execution {
  status: ExecutionStatus = 'RUNNING';
  /** Milliseconds since the epoch. */
  readonly startDate: number;
  stopDate: number | undefined;
  output: Json | undefined;
  error: string | undefined;
  cause: string | undefined;
  readonly events: HistoryEvent[] = [];
  /** What is the same in the context object of every state. */
  readonly context: JsonObject;
  /** Resolves when the execution has ended, however it ended. */
  readonly ended: Promise<void>;

  readonly #cancellation = new Cancellation();
  #resolveEnded = () => {};
  #stopClock = () => {};

  constructor(
    readonly seed: ExecutionSeed,
    readonly environment: Environment,
  ) {
    this.startDate = environment.clock.now();
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.context = {
      Execution: {
        Id: seed.executionArn,
        Input: seed.input,
        Name: seed.name,
        RoleArn: seed.roleArn,
        StartTime: new Date(this.startDate).toISOString(),
        RedriveCount: 0,
      },
      StateMachine: { Id: seed.stateMachineArn, Name: seed.stateMachineName },
    };
  }

  /** Begins to run. Nothing has happened yet when this returns but the first event. */
  start(): void {
    const { definition, input, roleArn, onStatusChange } = this.seed;
    this.record('ExecutionStarted', 0, { input, roleArn });
    onStatusChange(this);
    if (definition.timeoutSeconds !== undefined) {
      this.#stopClock = this.environment.clock.after(1000 * definition.timeoutSeconds, () => this.#timeOut());
    }
    queueMicrotask(() => void this.#run());
  }

  /** Ends the execution and whatever it waits for. No effect if it has ended. */
  stop(error?: string, cause?: string): void {
    if (this.status !== 'RUNNING') return;
    this.#end('ABORTED', 0, { error, cause });
  }

  /**
   * Appends an event. The 25,000th is always the one that ends the execution.
   * @throws Cancelled if the execution has ended, or ends by this
   */
  record(type: string, previousEventId: number, details?: EventDetails): number {
    if (this.status !== 'RUNNING') throw new Cancelled('the execution has ended');
    if (this.events.length >= MAX_EVENTS - 1) {
      const cause = `The execution reached the maximum number of history events (${MAX_EVENTS}).`;
      this.#end('FAILED', this.events.length, { error: 'States.Runtime', cause });
      throw new Cancelled('the execution has ended');
    }
    return this.#append(type, previousEventId, details);
  }

  async #run(): Promise<void> {
    const thread = new Thread(this, this.#cancellation, scopeWithin(null), 0, undefined);
    try {
      const output = await runStates(thread, this.seed.definition, this.seed.input);
      if (this.status === 'RUNNING') this.#end('SUCCEEDED', thread.lastEventId, { output });
    } catch (thrown) {
      if (thrown instanceof Cancelled || this.status !== 'RUNNING') return;
      this.#end('FAILED', thread.lastEventId, toEnd(thrown));
    }
  }

  #timeOut(): void {
    // The status tells it; only the event names the error.
    this.#end('TIMED_OUT', 0, { error: 'States.Timeout' });
  }

  #end(status: Exclude<ExecutionStatus, 'RUNNING'>, previousEventId: number, details: EventDetails): void {
    this.#append(END_EVENTS[status], previousEventId, details);
    this.status = status;
    this.stopDate = this.environment.clock.now();
    this.output = details.output;
    if (status !== 'TIMED_OUT') ({ error: this.error, cause: this.cause } = details);
    this.#stopClock();
    this.#cancellation.cancel();
    this.seed.onStatusChange(this);
    this.#resolveEnded();
  }

  #append(type: string, previousEventId: number, details: EventDetails | undefined): number {
    const id = this.events.length + 1;
    this.events.push({ id, previousEventId, timestamp: this.environment.clock.now(), type, details });
    return id;
  }
}

const END_EVENTS = {
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  ABORTED: 'ExecutionAborted',
};

/** A fault of the interpreter itself is told as the service tells of its own. */
function toEnd(thrown: unknown): EventDetails {
  if (thrown instanceof StateFailure) return { error: thrown.errorName, cause: thrown.causeText };
  return { error: 'States.Runtime', cause: thrown instanceof Error ? thrown.message : String(thrown) };
}

import { messageOf } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Definition } from '../definition/definition.ts';
import { Cancellation } from './cancellation.ts';
import { Cancelled, StateFailure } from './errors.ts';
import type { Clock, InvokeLambda } from './ports.ts';
import type { TaskTokens } from './task-tokens.ts';

/** The most events that an execution may have; the last one reports it. */
export const MAX_EVENTS = 25_000;

/** The details of an event beside its type. Values are kept as they are and become JSON text when they are read. */
export interface EventDetails {
  name?: string;
  index?: number;
  length?: number;
  input?: Json;
  output?: Json;
  parameters?: Json;
  assignedVariables?: { [name: string]: Json };
  error?: string | undefined;
  cause?: string | undefined;
  location?: string | undefined;
  state?: string;
  resource?: string;
  resourceType?: string;
  region?: string;
  roleArn?: string;
  timeoutInSeconds?: number | undefined;
  heartbeatInSeconds?: number | undefined;
  redriveCount?: number;
}

export interface HistoryEvent {
  id: number;
  previousEventId: number;
  /** Milliseconds since the epoch. */
  timestamp: number;
  type: string;
  details: EventDetails | undefined;
}

export type EndStatus = 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
export type ExecutionStatus = 'RUNNING' | EndStatus;

export interface ExecutionRequest {
  stateMachineArn: string;
  name?: string | undefined;
  input: Json;
  /** Of the machine that is meant. */
  type: MachineType;
}

/** Express executions last five minutes at most; nobody but the task that starts one learns of it. */
export type MachineType = 'STANDARD' | 'EXPRESS';

/** The longest that an Express execution lasts (Step Functions, "Quotas"). */
const EXPRESS_SECONDS = 300;

/** Shared by all executions. */
export interface ExecutionHost {
  clock: Clock;
  /** A number from 0 up to 1, for jitter. */
  random: () => number;
  region: string;
  invokeLambda: InvokeLambda;
  tokens: TaskTokens;
  /** @throws StatesApiError as the API's StartExecution, or StartSyncExecution for a machine of the type `EXPRESS` */
  startExecution(request: ExecutionRequest): Execution;
}

/** The input, name and settings with which an execution is started. */
export interface ExecutionSeed {
  executionArn: string;
  name: string;
  stateMachineArn: string;
  stateMachineName: string;
  roleArn: string;
  definition: Definition;
  type: MachineType;
  input: Json;
  onStatusChange: (execution: Execution) => void;
}

/** How long after its end an execution can be redriven. */
const REDRIVABLE_MS = 14 * 24 * 60 * 60 * 1000;

/** One run of a state machine, or what a redrive goes on with after its end. */
export class Execution {
  status: ExecutionStatus = 'RUNNING';
  /** Milliseconds since the epoch. */
  readonly startDate: number;
  readonly redriveCount: number;
  /** Of the last redrive, in milliseconds since the epoch. */
  readonly redriveDate: number | undefined;
  stopDate: number | undefined;
  output: Json | undefined;
  error: string | undefined;
  cause: string | undefined;
  readonly events: HistoryEvent[];
  /** The part of the context object that is the same in every state. */
  readonly context: { Execution: JsonObject; StateMachine: JsonObject };
  /** Resolves when the execution has ended, however it ended. */
  readonly ended: Promise<EndStatus>;

  /** Cancelled at the end. */
  readonly cancellation = new Cancellation();
  #resolveEnded: (status: EndStatus) => void = () => {};
  #stopClock = () => {};

  /** @param earlier the same one, which has ended and is redriven now */
  constructor(
    readonly seed: ExecutionSeed,
    readonly environment: ExecutionHost,
    earlier?: Execution,
  ) {
    const now = environment.clock.now();
    this.startDate = earlier?.startDate ?? now;
    this.redriveCount = earlier === undefined ? 0 : earlier.redriveCount + 1;
    this.redriveDate = earlier === undefined ? undefined : now;
    this.events = earlier?.events ?? [];
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.context = {
      Execution: {
        Id: seed.executionArn,
        Input: seed.input,
        Name: seed.name,
        RoleArn: seed.roleArn,
        StartTime: new Date(this.startDate).toISOString(),
        RedriveCount: this.redriveCount,
        ...(this.redriveDate !== undefined && { RedriveTime: new Date(now).toISOString() }),
      },
      StateMachine: { Id: seed.stateMachineArn, Name: seed.stateMachineName },
    };
  }

  /** Records the first event, or that of the redrive, and starts the clock. */
  start(): void {
    const { definition, type, input, roleArn, onStatusChange } = this.seed;
    if (this.redriveCount === 0) this.record('ExecutionStarted', 0, { input, roleArn });
    else this.record('ExecutionRedriven', this.events.length, { redriveCount: this.redriveCount });
    onStatusChange(this);
    const { timeoutSeconds = Infinity } = definition;
    const seconds = type === 'EXPRESS' ? Math.min(EXPRESS_SECONDS, timeoutSeconds) : timeoutSeconds;
    if (seconds !== Infinity) {
      this.#stopClock = this.environment.clock.after(1000 * seconds, () => this.#timeOut());
    }
  }

  /** Why it cannot be redriven, in the service's words; undefined where it can. */
  get whyNotRedrivable(): string | undefined {
    const { status, stopDate = 0 } = this;
    if (status === 'RUNNING' || status === 'SUCCEEDED')
      return `Execution is ${status} and cannot be redriven`;
    // There has to be room for the event of the redrive, and for one more.
    if (this.events.length >= MAX_EVENTS - 1) return 'Execution history event limit exceeded';
    const isLate = this.environment.clock.now() - stopDate > REDRIVABLE_MS;
    return isLate ? 'Execution redrivable period exceeded' : undefined;
  }

  /** Ends the execution and everything it waits for. No effect if it has ended, as with the ends below. */
  stop(error?: string, cause?: string): void {
    this.#end('ABORTED', 0, { error, cause });
  }

  succeed(previousEventId: number, output: Json): void {
    this.#end('SUCCEEDED', previousEventId, { output });
  }

  /** @param thrown a fault of the interpreter itself is reported as the service reports its own */
  fail(previousEventId: number, thrown: unknown): void {
    const details =
      thrown instanceof StateFailure
        ? { error: thrown.errorName, cause: thrown.causeText }
        : { error: 'States.Runtime', cause: messageOf(thrown) };
    this.#end('FAILED', previousEventId, details);
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

  #timeOut(): void {
    // The status tells it; only the event names the error.
    this.#end('TIMED_OUT', 0, { error: 'States.Timeout' });
  }

  #end(status: EndStatus, previousEventId: number, details: EventDetails): void {
    if (this.status !== 'RUNNING') return;
    this.#append(END_EVENTS[status], previousEventId, details);
    this.status = status;
    this.stopDate = this.environment.clock.now();
    this.output = details.output;
    if (status !== 'TIMED_OUT') ({ error: this.error, cause: this.cause } = details);
    this.#stopClock();
    this.cancellation.cancel();
    this.seed.onStatusChange(this);
    this.#resolveEnded(status);
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

import type { Json } from '../../json.ts';
import type { State, States } from '../definition/definition.ts';
import type { Variables } from '../expressions/scope.ts';
import type { Cancellation } from './cancellation.ts';
import type { StateFailure } from './errors.ts';
import type { EventDetails, Execution } from './execution.ts';

/** The states whose being given up is an event of its own. */
const ABORTABLE = new Set(['Task', 'Wait', 'Map', 'Parallel']);

const NONE: ReadonlySet<Thread> = new Set();

/** How a state was left. */
export interface Exit {
  output: Json;
  /** The state that follows, or undefined at the end. */
  next: string | undefined;
}

/** A state that a thread has entered and not left. */
export interface Entered {
  state: State;
  input: Json;
  /** The event of entering. */
  id: number;
  /** The event before it. */
  previousEventId: number;
  /** Milliseconds since the epoch. */
  time: number;
  /** Of a Parallel or Map state: the result of each branch or iteration, or the thread that it is or was. */
  parts: (Thread | { output: Json } | undefined)[];
}

/** One line of states that follow one another: an execution, a branch of a Parallel, an iteration of a Map. */
export class Thread {
  /** The state that the thread is in, or, between two, how it left the last one. */
  position: Entered | Exit | undefined;
  /** The threads within the Parallel or Map state that the thread is in. */
  children: ReadonlySet<Thread> = NONE;
  /** Which iteration of which Map state the thread is, if it is one. */
  iteration: { index: number; name: string } | undefined;

  constructor(
    readonly execution: Execution,
    readonly cancellation: Cancellation,
    /** Those set here, and those of the threads around this one, which set none while this one runs. */
    readonly variables: Variables,
    /** The event after which the next one comes. */
    public lastEventId: number,
    /** `Map` of the context object, in an iteration. */
    readonly mapContext: Json | undefined,
  ) {}

  /** A thread of a redriven execution that goes on where this one was. */
  redriven(execution: Execution, cancellation: Cancellation, lastEventId: number): Thread {
    const { variables, mapContext } = this;
    const thread = new Thread(execution, cancellation, variables, lastEventId, mapContext);
    thread.iteration = this.iteration;
    thread.position = this.position;
    return thread;
  }

  /** The state that the thread is in. */
  get state(): State | undefined {
    return this.position !== undefined && 'state' in this.position ? this.position.state : undefined;
  }

  /** Records an event that follows on the last one of this thread. */
  record(type: string, details?: EventDetails): number {
    this.lastEventId = this.recordAside(type, details);
    return this.lastEventId;
  }

  /** Records an event on which the next one of this thread does not follow. */
  recordAside(type: string, details?: EventDetails): number {
    this.cancellation.throwIfCancelled();
    return this.execution.record(type, this.lastEventId, details);
  }

  /** @throws Cancelled when the thread is given up before the time is over */
  sleep(milliseconds: number): Promise<void> {
    const { clock } = this.execution.environment;
    return this.cancellation.wait<void>((resolve) => clock.after(milliseconds, resolve));
  }

  /** A thread within this one, which sees its variables and sets its own. */
  branch(cancellation: Cancellation, mapContext = this.mapContext): Thread {
    return new Thread(this.execution, cancellation, { ...this.variables }, this.lastEventId, mapContext);
  }

  /** Records the end of a thread that failed: a Task in which it still is counts as aborted. */
  recordFailed(): void {
    if (this.state?.type === 'Task') this.recordAside('TaskStateAborted');
    if (this.iteration !== undefined) this.recordAside('MapIterationFailed', this.iteration);
  }

  /** Records that the thread, and the state that it is in, are abandoned. */
  recordAborted(): void {
    for (const child of this.children) child.recordAborted();
    const { state, iteration } = this;
    if (state !== undefined && ABORTABLE.has(state.type)) this.recordAside(`${state.type}StateAborted`);
    if (iteration !== undefined) this.recordAside('MapIterationAborted', iteration);
  }
}

/**
 * Runs states one after another until one ends, from where the thread is or else from the first.
 * @param input of the first
 * @returns the output of the last one
 * @throws StateFailure from the state that failed; Cancelled if the thread is given up
 */
export type RunStates = (thread: Thread, states: States, input: Json) => Promise<Json>;

/** The threads of a Parallel or Map state, which are abandoned together as soon as one of them fails. */
export class ThreadGroup {
  readonly #cancellation: Cancellation;
  readonly #threads = new Set<Thread>();
  #failure: StateFailure | undefined;

  /**
   * @param outer the thread that is in the state
   * @param parts those of the state, in which the ends of threads are kept
   */
  constructor(
    readonly outer: Thread,
    readonly parts: Entered['parts'],
  ) {
    this.#cancellation = outer.cancellation.child();
    outer.children = this.#threads;
  }

  /** The thread of a part that has not succeeded, which goes on where an earlier one of the part was. */
  open(index: number, mapContext?: Json): Thread {
    const earlier = this.parts[index];
    const thread =
      earlier instanceof Thread
        ? earlier.redriven(this.outer.execution, this.#cancellation, this.outer.lastEventId)
        : this.outer.branch(this.#cancellation, mapContext);
    this.parts[index] = thread;
    this.#threads.add(thread);
    return thread;
  }

  /** Says that a thread has ended; the state's next event follows on its last one. */
  ended(thread: Thread): void {
    this.#threads.delete(thread);
    this.outer.lastEventId = thread.lastEventId;
  }

  /** Gives up all threads after one has failed, recording the fate of each. */
  fail(thread: Thread, failure: StateFailure): void {
    this.#failure = failure;
    this.ended(thread);
    // A failure that ends the whole execution leaves no trace but its last event.
    if (failure.errorName !== 'States.Runtime') {
      thread.recordFailed();
      for (const other of this.#threads) other.recordAborted();
    }
    this.#cancellation.cancel();
  }

  /**
   * Waits for all threads to end.
   * @throws StateFailure of the thread that failed first, however the others unwind
   */
  async all<T>(runs: Promise<T>[]): Promise<T[]> {
    try {
      return await Promise.all(runs);
    } catch (thrown) {
      throw this.#failure ?? thrown;
    } finally {
      this.#cancellation.detach();
      this.#threads.clear();
    }
  }
}

import type { Json } from '../json.ts';
import type { Cancellation } from './cancellation.ts';
import type { Execution } from './execution.ts';
import type { EventDetails } from './history.ts';
import { scopeWithin, type Variables } from './variables.ts';
import type { Visit } from './visit.ts';

/** One line of states that follow one another: an execution, a branch of a Parallel, an iteration of a Map. */
export class Thread {
  /** The state that the thread is in. */
  visit: Visit | undefined;
  /** Which iteration of which Map state the thread is, if it is one. */
  iteration: { index: number; name: string } | undefined;

  constructor(
    readonly execution: Execution,
    readonly cancellation: Cancellation,
    /** Those set here, and through the prototype those of the threads around this one. */
    readonly variables: Variables,
    /** The event after which the next one comes. */
    public lastEventId: number,
    /** `Map` of the context object, in an iteration. */
    readonly mapContext: Json | undefined,
  ) {}

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

  /** A thread within this one, which sees its variables and sets its own. */
  branch(cancellation: Cancellation, mapContext = this.mapContext): Thread {
    return new Thread(
      this.execution,
      cancellation,
      scopeWithin(this.variables),
      this.lastEventId,
      mapContext,
    );
  }

  /** Records the end of a thread that failed: a Task in which it still is counts as aborted. */
  recordFailed(): void {
    if (this.visit?.state.type === 'Task') this.visit.recordAborted();
    if (this.iteration !== undefined) this.recordAside('MapIterationFailed', this.iteration);
  }

  /** Records that the thread, and the state that it is in, come to nothing. */
  recordAborted(): void {
    this.visit?.recordAborted();
    if (this.iteration !== undefined) this.recordAside('MapIterationAborted', this.iteration);
  }
}

import type { Json } from '../json.ts';
import type { Cancellation } from './cancellation.ts';
import type { StateFailure } from './failure.ts';
import type { Thread } from './thread.ts';
import type { Visit } from './visit.ts';

/** The threads of a Parallel or Map state, which come to nothing together as soon as one of them fails. */
export class ThreadGroup {
  readonly #cancellation: Cancellation;
  readonly #threads = new Set<Thread>();
  #failure: StateFailure | undefined;

  constructor(readonly visit: Visit) {
    this.#cancellation = visit.thread.cancellation.child();
    visit.children = this.#threads;
  }

  add(mapContext?: Json): Thread {
    const thread = this.visit.thread.branch(this.#cancellation, mapContext);
    this.#threads.add(thread);
    return thread;
  }

  /** Says that a thread has ended; the state's next event follows on its last one. */
  ended(thread: Thread): void {
    this.#threads.delete(thread);
    this.visit.thread.lastEventId = thread.lastEventId;
  }

  /** Gives up all threads after one has failed, recording what becomes of each. */
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

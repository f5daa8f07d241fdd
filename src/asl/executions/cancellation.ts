import { Cancelled } from './errors.ts';

/** Stops waiting for something, and abandons the work on it. */
export type Abandon = () => void;

/** Ends a group of threads of states from outside: what they wait for is abandoned and nothing more is recorded. */
export class Cancellation {
  cancelled = false;
  /** Forgets this cancellation in the one that it belongs to; to be called when its threads have ended. */
  detach: () => void = () => {};
  readonly #listeners = new Set<() => void>();

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** A cancellation that is cancelled with this one, and can be on its own. */
  child(): Cancellation {
    const child = new Cancellation();
    const listener = () => child.cancel();
    if (this.cancelled) child.cancel();
    else this.#listeners.add(listener);
    child.detach = () => this.#listeners.delete(listener);
    return child;
  }

  throwIfCancelled(): void {
    if (this.cancelled) throw new Cancelled('no longer wanted');
  }

  /**
   * Waits for `begin` to resolve or reject, once. When cancelled before that, calls what `begin` returned and
   * rejects with Cancelled.
   */
  wait<T>(begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => Abandon): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.throwIfCancelled();
      let abandon: Abandon = () => {};
      const onCancel = () => {
        abandon();
        reject(new Cancelled('no longer wanted'));
      };
      this.#listeners.add(onCancel);
      abandon = begin(
        (value) => {
          this.#listeners.delete(onCancel);
          resolve(value);
        },
        (reason) => {
          this.#listeners.delete(onCancel);
          reject(reason);
        },
      );
    });
  }
}

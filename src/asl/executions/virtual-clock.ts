import { setImmediate } from 'node:timers/promises';
import type { Clock } from './ports.ts';

interface Timer {
  at: number;
  callback: () => void;
}

/** Time that goes on at once to the next timer, as often as no work is under way, so that tests need not wait. */
export class VirtualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();
  #holds = 0;
  #isMoving = false;

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Timers that have not been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    void this.#move();
    return () => void this.#timers.delete(timer);
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.hold();
    try {
      return await work;
    } finally {
      this.release();
    }
  }

  /** Time stands still until as many calls of `release` have followed. */
  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    void this.#move();
  }

  async #move(): Promise<void> {
    if (this.#isMoving) return;
    this.#isMoving = true;
    while (this.#holds === 0 && this.#timers.size > 0) {
      // Work that takes time of its own holds the clock. All else that a step leads to is promises, settled by then.
      await setImmediate();
      if (this.#holds === 0) this.#ring();
    }
    this.#isMoving = false;
  }

  #ring(): void {
    const [first, ...others] = this.#timers;
    if (first === undefined) return;
    const next = others.reduce((one, other) => (other.at < one.at ? other : one), first);
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
  }
}

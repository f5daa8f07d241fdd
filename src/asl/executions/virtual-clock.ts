import type { Clock } from './ports.ts';

/** Time that advances by itself as soon as nothing else is left to do, so that tests need not wait. */
export class VirtualClock implements Clock {
  #now: number;
  #timers: { at: number; callback: () => void }[] = [];
  #moving = false;

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Timers that have not been cancelled. */
  get pending(): number {
    return this.#timers.length;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    if (!this.#moving) void this.#move();
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  async #move(): Promise<void> {
    this.#moving = true;
    while (this.#timers.length > 0) {
      // Everything that can go on without time passing does so first.
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      const next = this.#timers.toSorted((one, other) => one.at - other.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#moving = false;
  }
}

import type { Choices } from '../choices.ts';
import type { Kept } from './function-ports.ts';
import type { Invocation } from './invocations.ts';

/** A process of Lambda's: it serves one call after another, and keeps in memory what it has read and written. */
export interface Container {
  /** The call that it serves, or has served last. */
  by: Invocation;
  kept: Kept;
}

/**
 * The processes in which functions are called.
 * @param open a new one
 * @param warmth how probable it is that a call is served by one that has served others, from 0 to 1
 */
export function createContainers(
  choices: Choices,
  open: (by: Invocation) => Container,
  warmth: number | undefined,
) {
  const serving = new WeakMap<Invocation, Container>();
  let free: Container[] = [];

  return {
    for(by: Invocation): Container {
      free = free.filter((one) => !one.by.process.isDead);
      const known = choices.happens(warmth) ? free.pop() : undefined;
      const container = known ?? open(by);
      container.by = by;
      serving.set(by, container);
      return container;
    },
    /** A call is over. Its process is kept, unless it has died or work is left in it. */
    release(by: Invocation): void {
      const container = serving.get(by);
      if (container !== undefined && !by.isDead && by.waiting === 0) free.push(container);
    },
  };
}

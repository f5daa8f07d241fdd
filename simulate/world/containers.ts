import type { Choices } from '../choices.ts';
import type { Invocation } from './invocations.ts';

/** A process of Lambda's, which serves one call after another and remembers what it read and wrote for earlier ones. */
export interface Container<Memory> {
  /** The call that it serves, or has served last. */
  by: Invocation;
  memory: Memory;
}

/**
 * The processes in which functions are called.
 * @param open what a new one has in memory
 * @param warmth the probability that a call is served by one that has served others, from 0 to 1
 */
export function createContainers<Memory>(
  choices: Choices,
  open: (by: () => Invocation) => Memory,
  warmth: number | undefined,
) {
  const serving = new WeakMap<Invocation, Container<Memory>>();
  let free: Container<Memory>[] = [];

  function begin(by: Invocation): Container<Memory> {
    const container: Container<Memory> = { by, memory: open(() => container.by) };
    return container;
  }

  return {
    /** The memory of the process that serves a call. */
    of(by: Invocation): Memory {
      free = free.filter((one) => !one.by.process.isDead);
      // Those of one function serve no other.
      const warm = free.filter((one) => one.by.name === by.name);
      const known = choices.happens(warm.length === 0 ? 0 : warmth) ? choices.pick(warm) : undefined;
      free = free.filter((one) => one !== known);
      const container = known ?? begin(by);
      container.by = by;
      serving.set(by, container);
      return container.memory;
    },
    /** After a call, its process is kept, unless it has died or work is left in it. */
    release(by: Invocation): void {
      const container = serving.get(by);
      if (container !== undefined && !by.isDead && by.waiting === 0) free.push(container);
    },
  };
}

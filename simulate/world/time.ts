import type { Clock } from '../../src/asl/executions/ports.ts';

/**
 * The time of a world. It stands still while anybody is at work, and then jumps to the next event: operations of ports
 * take time as well. Events of the same moment come in the order in which they were asked for, so that the order of
 * everything follows from durations.
 */
export interface WorldTime extends Clock {
  /** Somebody is at work until `release` has been called as often. */
  hold(): void;
  release(): void;
  /** Lets time pass for the caller, who is not at work in the meantime. */
  pause(milliseconds: number): Promise<void>;
  /**
   * Lets events happen one after the other.
   * @param within how long nothing has to happen until it is over, in milliseconds; or a moment, after which nothing is
   *   done
   * @param isOver ends it sooner
   */
  goOn(until: { within: number } | { to: number }, isOver?: () => boolean): Promise<void>;
  /** Lets things happen until some work is done. */
  letPass<T>(work: Promise<T>): Promise<T>;
  /** As `after`, for events from outside: they come even if everything under way is gone. */
  plan(milliseconds: number, callback: () => void): void;
  /** No event comes any more except planned ones, and nobody is at work. */
  clear(): void;
}

interface Timer {
  at: number;
  /** Tells those of the same moment apart. */
  number: number;
  /** Undefined once it was cancelled. */
  callback: (() => void) | undefined;
  isPlanned: boolean;
}

export function createWorldTime(start: number): WorldTime {
  let now = start;
  let asked = 0;
  let held = 0;
  let timers: Timer[] = [];
  /** How many timers were cancelled: nearly all, since most work is done long before it would be given up. */
  let cancelled = 0;

  const cancel = (timer: Timer) => {
    if (timer.callback === undefined) return;
    timer.callback = undefined;
    cancelled += 1;
    if (cancelled < MOST_CANCELLED || cancelled < timers.length / 2) return;
    // In order, they are a heap.
    timers = timers.filter(({ callback }) => callback !== undefined).sort(inOrder);
    cancelled = 0;
  };
  const add = (milliseconds: number, callback: () => void, isPlanned: boolean) => {
    const at = now + Math.max(0, Math.ceil(milliseconds));
    const timer: Timer = { at, number: asked++, callback, isPlanned };
    push(timers, timer);
    return () => cancel(timer);
  };
  const after = (milliseconds: number, callback: () => void) => add(milliseconds, callback, false);

  const time: WorldTime = {
    now: () => now,
    after,
    plan: (milliseconds, callback) => void add(milliseconds, callback, true),
    hold: () => void (held += 1),
    release: () => void (held -= 1),
    async during(work) {
      held += 1;
      try {
        return await work;
      } finally {
        held -= 1;
      }
    },
    pause: (milliseconds) => new Promise((go) => void after(milliseconds, go)),
    async goOn(until, isOver = () => false) {
      for (;;) {
        // All promises are settled by then.
        await new Promise((go) => {
          process.nextTick(go);
        });
        // Loading a module or waiting for a real store holds the time.
        if (held > 0) {
          await new Promise((go) => setImmediate(go));
          continue;
        }
        if (isOver()) return;
        while (timers[0] !== undefined && timers[0].callback === undefined) {
          pop(timers);
          cancelled -= 1;
        }
        const [next] = timers;
        if (next === undefined || next.at > ('to' in until ? until.to : now + until.within)) break;
        pop(timers);
        now = Math.max(now, next.at);
        const { callback } = next;
        next.callback = undefined;
        callback?.();
      }
      if ('to' in until) now = Math.max(now, until.to);
    },
    async letPass(work) {
      let isOver = false;
      const end = () => void (isOver = true);
      work.then(end, end);
      while (!isOver) {
        await time.goOn({ within: Infinity }, () => isOver);
        // No event is left: the work waits for something real, such as a module that it loads.
        if (!isOver) await new Promise((go) => setImmediate(go));
      }
      return work;
    },
    clear() {
      const planned = timers.filter(({ isPlanned }) => isPlanned);
      timers = planned.sort(inOrder);
      cancelled = timers.filter(({ callback }) => callback === undefined).length;
      held = 0;
    },
  };
  return time;
}

/** So many are left in the heap at least. */
const MOST_CANCELLED = 64;

const inOrder = (one: Timer, other: Timer) => one.at - other.at || one.number - other.number;

const isBefore = (one: Timer, other: Timer) => inOrder(one, other) < 0;

/** Adds a timer to a heap, whose first is the next one. */
function push(heap: Timer[], timer: Timer): void {
  let index = heap.length;
  heap.push(timer);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(timer, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

/** Removes the next timer from a heap. */
function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const [one, other] = [heap[left], heap[left + 1]];
    const isRight = one !== undefined && other !== undefined && isBefore(other, one);
    const least = isRight ? other : one;
    if (least === undefined || !isBefore(least, last)) break;
    heap[index] = least;
    index = isRight ? left + 1 : left;
  }
  heap[index] = last;
}

import { useEffect, useReducer } from 'preact/hooks';

/** A clock that several components read: all of them tick at once, and show the same moment. */
interface Clock {
  now: number;
  listeners: Set<() => void>;
}

const clocks = new Map<number, Clock>();

/** The time, in milliseconds since 1970: it is updated regularly while something moves. */
export function useNow(isMoving: boolean, everyMs: number): number {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => (isMoving ? listen(everyMs, () => tick(undefined)) : undefined), [isMoving, everyMs]);
  return (isMoving ? clocks.get(everyMs)?.now : undefined) ?? Date.now();
}

/** @returns a function that ends that */
function listen(everyMs: number, listener: () => void): () => void {
  const clock = clocks.get(everyMs) ?? start(everyMs);
  clock.listeners.add(listener);
  return () => void clock.listeners.delete(listener);
}

function start(everyMs: number): Clock {
  const clock: Clock = { now: Date.now(), listeners: new Set() };
  clocks.set(everyMs, clock);
  const timer = setInterval(() => {
    clock.now = Date.now();
    for (const each of clock.listeners) each();
    if (clock.listeners.size > 0) return;
    clearInterval(timer);
    clocks.delete(everyMs);
  }, everyMs);
  return clock;
}

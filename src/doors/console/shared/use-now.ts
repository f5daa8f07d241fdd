import { useEffect, useReducer } from 'preact/hooks';

/** The time, in milliseconds since 1970: it goes on every so often, as long as something moves. */
export function useNow(isMoving: boolean, everyMs: number): number {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => tick(undefined), everyMs);
    return () => clearInterval(timer);
  }, [isMoving, everyMs]);
  return Date.now();
}

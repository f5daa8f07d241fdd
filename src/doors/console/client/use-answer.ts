import { useEffect, useReducer, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import { get, onConnection } from './api.ts';
import { poll } from './poll.ts';

/** An answer of the API, kept up to date. */
export interface ApiAnswer<T> {
  /** The last answer, even while the server does not answer any more; undefined until there is one. */
  data: T | undefined;
  /** Why the newest request was refused; undefined where it was not. */
  problem: string | undefined;
  again: () => void;
}

/**
 * Asks the API, again every so often while the page is visible, and as soon as a lost server is back.
 * @param path without a slash in front; undefined for nothing yet
 * @param everyMs absent: once
 */
export function useAnswer<T>(path: string | undefined, everyMs?: number): ApiAnswer<T> {
  return useReading(path, (of, signal) => get<T>(of, signal), everyMs);
}

/** The same for data that takes several requests. @param of its name: if that changes, something else is read */
export function useReading<T>(
  of: string | undefined,
  read: (of: string, signal: AbortSignal) => Promise<T>,
  everyMs?: number,
): ApiAnswer<T> {
  const [state, setState] = useState<{ of?: string; data?: T; problem?: string }>({});
  const [round, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (of === undefined) return;
    const ending = new AbortController();
    let hasFailed = false;
    const ask = async () => {
      try {
        const data = await read(of, ending.signal);
        hasFailed = false;
        setState({ of, data });
      } catch (thrown) {
        if (ending.signal.aborted) return;
        hasFailed = true;
        const problem = messageOf(thrown);
        setState((before) => ({ ...(before.of === of && before), problem }));
      }
    };
    const stop = everyMs === undefined ? undefined : poll(ask, everyMs);
    if (stop === undefined) void ask();
    // Only lost data: if one path of the server is down, answers of the others would make each other ask without end.
    const leave = onConnection((isConnected) => isConnected && hasFailed && !document.hidden && void ask());
    return () => {
      ending.abort();
      stop?.();
      leave();
    };
  }, [of, everyMs, round]);
  return {
    data: state.of === of ? state.data : undefined,
    problem: state.problem,
    again: () => again(undefined),
  };
}

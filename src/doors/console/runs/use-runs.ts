import { useEffect, useReducer, useState } from 'preact/hooks';
import type { RunList, RunResource } from '../../api/answers.ts';
import { get } from '../client/api.ts';
import { queryOf, type RunFilter } from '../route.ts';

export interface ListedRuns {
  /** Undefined until they are known. */
  runs: readonly RunResource[] | undefined;
  problem: string | undefined;
  /** Lists older runs, too; undefined where there are none. */
  more: (() => void) | undefined;
}

/** How often the newest runs are asked for, in milliseconds, while the page is visible. */
const EVERY_MS = 3_000;

interface Pages {
  runs: readonly RunResource[];
  next: string | null;
}

/** The runs that a filter lets through, newest first, page after page. New ones appear by themselves. */
export function useRuns(filter: RunFilter): ListedRuns {
  const query = queryOf(filter);
  const [pages, setPages] = useState<Pages>();
  const [problem, setProblem] = useState<string>();
  const [round, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const ending = new AbortController();
    const read = async () => {
      const newest = await get<RunList>(`runs${query}`, ending.signal);
      setPages((before) => (before === undefined ? newest : onTop(newest, before)));
    };
    const failed = (thrown: unknown) => {
      if (!ending.signal.aborted) setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    };
    const readIfSeen = () => {
      if (document.visibilityState === 'visible') read().then(() => setProblem(undefined), failed);
    };
    setPages(undefined);
    readIfSeen();
    const timer = setInterval(readIfSeen, EVERY_MS);
    document.addEventListener('visibilitychange', readIfSeen);
    return () => {
      ending.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', readIfSeen);
    };
  }, [query, round]);
  const after = pages?.next;
  const more =
    typeof after !== 'string'
      ? undefined
      : () => {
          const path = `runs${query}${query === '' ? '?' : '&'}after=${encodeURIComponent(after)}`;
          get<RunList>(path).then(
            (older) =>
              setPages((before) => before && { runs: [...before.runs, ...older.runs], next: older.next }),
            () => again(undefined),
          );
        };
  return { runs: pages?.runs, problem, more };
}

/** The newest page in place of what it repeats of those before. */
function onTop(newest: Pages, before: Pages): Pages {
  const repeated = new Set(newest.runs.map(({ run_id: id }) => id));
  const last = before.runs.findLastIndex(({ run_id: id }) => repeated.has(id));
  const older = before.runs.slice(last + 1);
  return last === -1 || older.length === 0 ? newest : { runs: [...newest.runs, ...older], next: before.next };
}

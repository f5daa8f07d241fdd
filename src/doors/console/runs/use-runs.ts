import { useEffect, useReducer, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import type { ListedRun, RunList } from '../../api/answers.ts';
import { get } from '../client/api.ts';
import { poll } from '../client/poll.ts';
import { filterOf, queryOf, type RunFilter } from '../route.ts';

export interface ListedRuns {
  /** Undefined until they are known. */
  runs: readonly ListedRun[] | undefined;
  /** Whether these are still those of the filter before. */
  isOld: boolean;
  /** The words that these were found by, as they were typed. */
  wanted: string;
  problem: string | undefined;
  again: () => void;
  /** Lists older runs, too; undefined where there are none. */
  more: (() => void) | undefined;
  /** Whether older ones are on their way. */
  isReading: boolean;
}

/** How often the newest runs are asked for, in milliseconds, while the page is visible; less often where words are looked for. */
const EVERY_MS = 3_000;
const WORDS_EVERY_MS = 15_000;

/** So many answers in which the server has looked through much and found little are asked for on end. */
const MOST_ANSWERS = 10;
const ENOUGH_RUNS = 10;

interface Pages {
  query: string;
  runs: readonly ListedRun[];
  next: string | null;
}

/** The runs that a filter lets through, newest first, page after page. New ones appear by themselves. */
export function useRuns(filter: RunFilter): ListedRuns {
  const query = queryOf(filter);
  const [pages, setPages] = useState<Pages>();
  const [problem, setProblem] = useState<string>();
  const [isReading, setReading] = useState(false);
  const [round, again] = useReducer((count: number) => count + 1, 0);
  const everyMs = filter.text === undefined ? EVERY_MS : WORDS_EVERY_MS;
  useEffect(() => {
    const ending = new AbortController();
    const read = async () => {
      const newest = await readPage(query, undefined, ending.signal);
      setPages((before) => (before?.query === query ? onTop(newest, before) : newest));
    };
    const failed = (thrown: unknown) => {
      if (!ending.signal.aborted) setProblem(messageOf(thrown));
    };
    const stop = poll(async () => read().then(() => setProblem(undefined), failed), everyMs);
    return () => {
      ending.abort();
      stop();
    };
  }, [query, round]);
  const after = pages?.next;
  const more = () => {
    if (typeof after !== 'string' || isReading) return;
    setReading(true);
    readPage(query, after)
      .then(
        (older) =>
          setPages((before) =>
            before?.query === query ? { ...older, runs: [...before.runs, ...older.runs] } : before,
          ),
        () => again(undefined),
      )
      .finally(() => setReading(false));
  };
  const isOld = pages !== undefined && pages.query !== query;
  return {
    runs: pages?.runs,
    isOld,
    wanted: filterOf(pages?.query ?? '').text ?? '',
    problem,
    again: () => again(undefined),
    more: typeof after === 'string' && !isOld ? more : undefined,
    isReading,
  };
}

/** A page, of several answers where single ones have few runs: so much only is looked through for one. */
async function readPage(query: string, after: string | undefined, signal?: AbortSignal): Promise<Pages> {
  const runs: ListedRun[] = [];
  let next = after ?? null;
  for (let answers = 0; answers < MOST_ANSWERS; answers++) {
    const from = next === null ? '' : `${query === '' ? '?' : '&'}after=${encodeURIComponent(next)}`;
    const page = await get<RunList>(`runs${query}${from}`, signal);
    runs.push(...page.runs);
    next = page.next;
    if (next === null || runs.length >= ENOUGH_RUNS) break;
  }
  return { query, runs, next };
}

/** The newest page in place of what it repeats of those before. */
function onTop(newest: Pages, before: Pages): Pages {
  const repeated = new Set(newest.runs.map(({ run_id: id }) => id));
  const last = before.runs.findLastIndex(({ run_id: id }) => repeated.has(id));
  const older = before.runs.slice(last + 1);
  return last === -1 || older.length === 0 ? newest : { ...before, runs: [...newest.runs, ...older] };
}

import type { ComponentChildren } from 'preact';
import { LOST } from '../client/api.ts';
import type { ApiAnswer } from '../client/use-answer.ts';
import { Skeleton } from './skeleton.tsx';

export interface AnsweredProps<T> {
  answer: ApiAnswer<T>;
  /** Of each line of what it will show, in pixels. */
  height: number;
  lines?: number;
  children: (data: T) => ComponentChildren;
}

/**
 * The answer of the API. Until it comes, its place is kept; an error is shown above the previous answer. If the server
 * is out of reach, the page says so once, and asks again.
 */
export function Answered<T>({
  answer: { data, problem, again },
  height,
  lines = 1,
  children,
}: AnsweredProps<T>) {
  const isRefused = problem !== undefined && problem !== LOST;
  return (
    <>
      {isRefused && (
        <p role="alert" class="problem">
          {data === undefined ? problem : `Not up to date: ${problem}`}{' '}
          <button type="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
      {data !== undefined ? children(data) : !isRefused && <Skeleton height={height} lines={lines} />}
    </>
  );
}

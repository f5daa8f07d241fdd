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
 * What the API has answered. Until it has, its place is kept; a fault stands above what was there before. That the server
 * is out of reach is said above the whole page, and asked again by itself.
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

import type { ComponentChildren } from 'preact';
import type { ApiAnswer } from '../client/use-answer.ts';
import { Skeleton } from './skeleton.tsx';

export interface AnsweredProps<T> {
  answer: ApiAnswer<T>;
  /** Of each line of what it will show, in pixels. */
  height: number;
  lines?: number;
  children: (data: T) => ComponentChildren;
}

/** What the API has answered. Until it has, its place is kept; a fault stands above what was there before. */
export function Answered<T>({
  answer: { data, problem, again },
  height,
  lines = 1,
  children,
}: AnsweredProps<T>) {
  return (
    <>
      {problem !== undefined && (
        <p role="alert" class="problem">
          {data === undefined ? problem : `Not up to date: ${problem}`}{' '}
          <button type="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
      {data !== undefined
        ? children(data)
        : problem === undefined && <Skeleton height={height} lines={lines} />}
    </>
  );
}

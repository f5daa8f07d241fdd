import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { ApiAnswer } from '../client/use-answer.ts';
import { Answered } from '../shared/answered.tsx';

export interface SectionProps<T> {
  title: string;
  answer: ApiAnswer<T>;
  /** Of what it will show, in pixels, where this tab has not shown it before. */
  height: number;
  /** Beside the title. */
  aside?: ComponentChildren;
  class?: string;
  children: (data: T) => ComponentChildren;
}

/** A part of the home that loads by itself, and tells its own faults. */
export function Section<T>({ title, answer, height, aside, class: style = '', children }: SectionProps<T>) {
  const heading = useId();
  const body = useRef<HTMLDivElement>(null);
  const key = `cadre-height ${title}`;
  useEffect(() => {
    if (body.current !== null) sessionStorage.setItem(key, String(body.current.offsetHeight));
  });
  return (
    <section class={`card home-section ${style}`} aria-labelledby={heading}>
      <div class="head">
        <h2 id={heading}>{title}</h2>
        {aside}
      </div>
      <Answered answer={answer} height={Number(sessionStorage.getItem(key) ?? height)}>
        {(data) => <div ref={body}>{children(data)}</div>}
      </Answered>
    </section>
  );
}

import { useMemo, useRef } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { onceWanted } from '../use-loaded.ts';
import { useSeen } from '../use-seen.ts';

const useHighlighting = onceWanted(() => import('./highlight.ts'));

export interface CodeBlockProps {
  text: string;
  /** As a model named it; "" for none. */
  language: string;
}

/** A block of code, in colours where its language is known. */
export function CodeBlock({ text, language }: CodeBlockProps) {
  const place = useRef<HTMLElement>(null);
  const isSeen = useSeen(place);
  const [name = ''] = language.split(/\s/, 1);
  const highlighting = useHighlighting(isSeen && name !== '');
  const coloured = useMemo(() => highlighting?.highlighted(text, name), [highlighting, text, name]);
  return (
    <figure ref={place} class="code-block">
      <figcaption>
        <span>{name.slice(0, 30)}</span>
        <CopyButton text={text} what="code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>{coloured ?? text}</code>
      </pre>
    </figure>
  );
}

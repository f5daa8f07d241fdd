import { useMemo, useRef } from 'preact/hooks';
import { LinkedText } from './linked-text.tsx';
import { onceWanted } from './use-loaded.ts';
import { useSeen } from './use-seen.ts';
import { visible } from './visible.ts';
import './rich-text.css';

const useMarkdown = onceWanted(() => import('./markdown/markdown-view.tsx'));

export interface RichTextProps {
  text: string;
  /** Whether it is in sight at once. */
  isInSight?: boolean;
}

/** A text of a model or a person as the Markdown that it is; as it is written until that can be shown. */
export function RichText({ text, isInSight = false }: RichTextProps) {
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place, isInSight);
  const markdown = useMarkdown(isSeen);
  const shown = useMemo(() => visible(text), [text]);
  return (
    <div ref={place} class="rich">
      {markdown === undefined ? (
        <p class="written" aria-busy="true">
          <LinkedText text={text} />
        </p>
      ) : (
        <markdown.MarkdownView text={shown} />
      )}
    </div>
  );
}

import { useMemo, useState } from 'preact/hooks';
import { CodeText } from '../shared/code-text.tsx';
import { CopyButton } from '../shared/copy-button.tsx';
import { LongText } from '../shared/long-text.tsx';
import { RichText } from '../shared/rich-text.tsx';
import { indentedJson, kindOf } from '../shared/text-kind.ts';
import type { Result } from './turns.ts';

export interface CallResultProps {
  result: Result;
  /** Whether an agent wrote it. */
  isAnswer: boolean;
  whole: () => Promise<string>;
}

/** The result of a call: answers, JSON and diffs in their own form, the rest as written, or as Markdown on demand. */
export function CallResult({ result, isAnswer, whole }: CallResultProps) {
  const { text, characters, is_error: isError } = result;
  const kind = useMemo(() => (isAnswer ? 'markdown' : kindOf(text)), [text, isAnswer]);
  const [isRaw, setIsRaw] = useState(kind === 'plain');
  const isWhole = !isError && characters === undefined && text !== '';
  return (
    <>
      <div class="whole-text-head">
        <h4>{isError ? 'What went wrong' : 'Came back'}</h4>
        {isWhole && (
          <span class="whole-text-tools">
            <button type="button" class="plain" onClick={() => setIsRaw(!isRaw)}>
              {isRaw ? (kind === 'plain' ? 'As Markdown' : 'Formatted') : 'Raw'}
            </button>
            <CopyButton text={text} what="result" />
          </span>
        )}
      </div>
      {isRaw || !isWhole ? (
        <LongText
          class={isError ? 'code problem' : 'code'}
          text={text}
          characters={characters}
          whole={whole}
        />
      ) : kind === 'json' || kind === 'diff' ? (
        <CodeText language={kind} text={kind === 'json' ? indentedJson(text) : text} />
      ) : (
        <RichText text={text} isInSight />
      )}
    </>
  );
}

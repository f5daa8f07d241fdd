import { onceWanted } from './use-loaded.ts';
import { visible } from './visible.ts';

const useCodeBlock = onceWanted(() => import('./markdown/code-block.tsx'));

/** Code in its colours; as it is written until they can be shown. */
export function CodeText({ text, language }: { text: string; language: string }) {
  const block = useCodeBlock(true);
  if (block === undefined) return <p class="written code">{visible(text)}</p>;
  return (
    <div class="rich">
      <block.CodeBlock text={visible(text)} language={language} />
    </div>
  );
}

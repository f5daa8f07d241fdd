import { Fragment, type ComponentChild } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { blockNode } from './block-nodes.tsx';
import { BlockReader, type Block } from './block-reader.ts';

/** Markdown as nodes. A text that grows is read on from its last block; of a long one, a part is drawn at a time. */
export function MarkdownView({ text }: { text: string }) {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const reader = useRef<BlockReader>(undefined);
  reader.current ??= new BlockReader();
  const { current } = reader;
  const isReading = inTime(() => current.read(text));
  const { blocks } = current;
  const rest = isReading || blocks.length > 0 ? current.rest : text;
  const nodes = useNodes(blocks);
  useEffect(() => {
    if (isReading && rest === '') return;
    const frame = requestAnimationFrame(() => drawAgain(undefined));
    return () => cancelAnimationFrame(frame);
  });
  return (
    <>
      {nodes}
      {rest !== '' && (
        <p class="written" aria-busy="true">
          {rest.slice(0, MOST_UNREAD)}
        </p>
      )}
    </>
  );
}

/** So much of a text that has not been read yet is drawn: more would be laid out anew in each frame. */
const MOST_UNREAD = 8_000;

/** For so many milliseconds of a frame all texts in sight together are read. */
const MOST_OF_FRAME = 12;
let spent = 0;

/** Does a part of the work if there is time left in this frame. @returns whether it has been done */
function inTime(work: () => void): boolean {
  if (spent > MOST_OF_FRAME) return false;
  if (spent === 0) requestAnimationFrame(() => (spent = 0));
  const start = performance.now();
  work();
  spent += Math.max(0.01, performance.now() - start);
  return true;
}

/** Nodes that are the same as before are not compared with themselves. */
function useNodes(blocks: readonly Block[]): ComponentChild[] {
  const known = useRef(new WeakMap<Block, ComponentChild>());
  return blocks.map((block) => {
    const node = known.current.get(block) ?? <Fragment key={block.start}>{blockNode(block.token)}</Fragment>;
    known.current.set(block, node);
    return node;
  });
}

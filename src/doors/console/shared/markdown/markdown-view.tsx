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
  current.read(text);
  const { blocks, rest } = current;
  const nodes = useNodes(blocks);
  useEffect(() => {
    if (rest === '') return;
    const frame = requestAnimationFrame(() => drawAgain(undefined));
    return () => cancelAnimationFrame(frame);
  });
  return (
    <>
      {nodes}
      {rest !== '' && <p class="written">{rest}</p>}
    </>
  );
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

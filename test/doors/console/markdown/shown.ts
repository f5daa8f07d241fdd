import { isValidElement, type ComponentChild } from 'preact';
import { blockNode } from '../../../../src/doors/console/shared/markdown/block-nodes.tsx';
import { BlockReader } from '../../../../src/doors/console/shared/markdown/block-reader.ts';

/** Nodes as `[name, attributes, ...children]`; attributes that are absent are left out, and text that is empty. */
export function plain(node: ComponentChild): unknown[] {
  if (Array.isArray(node)) return node.flatMap((each: ComponentChild) => plain(each));
  if (node === null || node === undefined || node === false || node === '') return [];
  if (!isValidElement(node)) return [node];
  const { children, ...props } = node.props as { children?: ComponentChild };
  const name = typeof node.type === 'function' ? node.type.name : node.type;
  const attributes = Object.entries(props).filter(([, value]) => value !== undefined);
  return [[name, Object.fromEntries(attributes), ...plain(children)]];
}

/** The nodes that the page shows a text as. */
export function shown(text: string): unknown[] {
  const reader = new BlockReader();
  do reader.read(text);
  while (reader.rest !== '');
  return reader.blocks.flatMap(({ token }) => plain(blockNode(token)));
}

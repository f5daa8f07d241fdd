import { isNode, parseDocument } from 'yaml';

/** Where a value begins in a text of JSON, all of which is YAML; 0 where it is not found. */
export function offsetIn(text: string, path: readonly (string | number)[]): number {
  const node = parseDocument(text).getIn(path, true);
  const [offset] = (isNode(node) && node.range) || [0];
  return offset;
}

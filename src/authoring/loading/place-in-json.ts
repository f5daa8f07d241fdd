import { isNode, LineCounter, parseDocument } from 'yaml';

/**
 * Where a value begins in a text of JSON, all of which is YAML: `line:column`, both from 1. Of a value that is not
 * there, it is the place of what lacks it.
 */
export function placeInJson(text: string, path: readonly (string | number)[]): string {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, uniqueKeys: false });
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (!isNode(node)) continue;
    const { line, col } = lineCounter.linePos(node.range?.[0] ?? 0);
    return `${line}:${col}`;
  }
  return '1:1';
}

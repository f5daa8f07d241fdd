/**
 * The prose of a text, Markdown above all: paragraphs, list items and quotations, each in one line and without the
 * marks of Markdown. Headings, tables, code, badges and markup are left out. Linear in the length of the text.
 */
export function proseBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  const close = () => {
    if (block.length > 0) blocks.push(block.join('\n'));
    block = [];
  };
  for (const line of linesOf(text)) {
    const edge = FENCE.exec(line)?.[1];
    if (fence !== undefined || edge !== undefined) {
      if (fence === undefined) fence = edge;
      else if (edge?.startsWith(fence)) fence = undefined;
      close();
    } else if (line.trim() === '' || NOT_PROSE.test(line)) {
      close();
    } else {
      const marker = MARKER.exec(line)?.[0] ?? '';
      if (marker !== '') close();
      if (block.length > 0 || marker !== '' || !INDENTED.test(line))
        block.push(line.slice(marker.length).trim());
    }
  }
  close();
  return blocks;
}

const NOT_PROSE = /^\s*(#{1,6}\s|\||!\[|\[!\[|<[^>]*>\s*$|\$ |([-=*_]\s*){3,}$|\[[^\]]+\]:\s)/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const MARKER = /^\s*((?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|>\s?)+/;
/** Where a paragraph would begin, this is code. */
const INDENTED = /^(?: {4}|\t)/;

export function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/);
}

/** The text without the marks of links and of emphasis; text between backticks stays as it is. */
export function withoutMarks(text: string): string {
  return withoutLinks(text)
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(EMPHASIS, '')))
    .join('');
}

/** The text with the names of links in their place; text between backticks stays as it is. */
export function withoutLinks(text: string): string {
  return text.replace(CODE_OR_LINK, (_, code: string | undefined, name: string) => code ?? name);
}

const CODE = /(`{1,3}[^`]*`{1,3})/;
const EMPHASIS = /(?<![\p{L}\p{N}])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\p{N}])/gu;

/** `[text](address "title")`, whose text may contain code. */
export const LINK =
  /!?\[((?:`[^`]{1,200}`|[^[\]`]){1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){1,500}(?:\s"[^"]{0,200}")?\)/g;
const CODE_OR_LINK = new RegExp(`${CODE.source}|${LINK.source}`, 'g');

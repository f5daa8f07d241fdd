/** A link or picture in a text, where its target stands. */
interface Way {
  /** As it is written: `tools.md#memory`, `https://…`. */
  target: string;
  /** Where the target begins in the text, in UTF-16 units. */
  at: number;
}

/** A fenced block of code. */
export interface CodeBlock {
  /** The word after the fence; "" if there is none. */
  language: string;
  code: string;
  /** The line of the text on which the code begins, from 1. */
  line: number;
}

/** A heading, without its marks. */
interface Heading {
  level: number;
  text: string;
}

const FENCED = /^( *)(```+)([\w-]*)[^\n]*\n([\s\S]*?)^\1\2 *$/gm;
const WAYS =
  /\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)|^\[[^\]\n]+\]: (\S+)$|\b(?:src|srcset|href)="([^"]+)"/gm;

/** The links and pictures of a text, in its order, without those that are shown as code. */
export function waysIn(text: string): Way[] {
  return [...withoutCode(text).matchAll(WAYS)].map((found) => {
    const target = found[1] ?? found[2] ?? found[3] ?? '';
    return { target, at: found.index + found[0].indexOf(target) };
  });
}

/** The text with other targets. @param change from a target to the one in its place */
export function withWays(text: string, change: (target: string) => string): string {
  return waysIn(text).reduceRight(
    (changed, { target, at }) => changed.slice(0, at) + change(target) + changed.slice(at + target.length),
    text,
  );
}

export function headingsIn(text: string): Heading[] {
  const headings = blank(text, FENCED).matchAll(/^(#{1,6}) (.*)$/gm);
  return [...headings].map((found) => ({ level: found[1]?.length ?? 0, text: found[2] ?? '' }));
}

/** The anchors of a text's headings, as code hosts and the site make them: of two that are alike, the second ends in `-1`. */
export function anchorsIn(text: string): string[] {
  const seen = new Map<string, number>();
  return headingsIn(text).map((heading) => {
    const anchor = heading.text
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const earlier = seen.get(anchor) ?? 0;
    seen.set(anchor, earlier + 1);
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}

/** The fenced blocks of a text; those that are indented, as in lists, without that indent. */
export function codeBlocksIn(text: string): CodeBlock[] {
  return [...text.matchAll(FENCED)].map((found) => {
    const [, indent = '', , language = '', code = ''] = found;
    return {
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: text.slice(0, found.index).split('\n').length + 1,
    };
  });
}

/** The same text with blanks in place of code, so that everything else keeps its position. */
function withoutCode(text: string): string {
  return blank(blank(text, FENCED), /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g);
}

function blank(text: string, what: RegExp): string {
  return text.replaceAll(what, (found) => found.replaceAll(/[^\n]/g, ' '));
}

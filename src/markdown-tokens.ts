import type { MarkedToken, Token } from 'marked';

/** What is shown of Markdown: neither the empty lines nor the definitions of links, which the links have taken up. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    'blockquote code heading hr html list paragraph table text ' +
    'br codespan del em escape image link strong'
  ).split(' '),
);

/** The tokens that are shown, of those that the parser knows. */
export function knownTokens(tokens: readonly Token[]): MarkedToken[] {
  return tokens.filter((token): token is MarkedToken => SHOWN.has(token.type));
}

/** Marks that make one line across, rather than lists within each other. */
const RULE = /^[ \t]*(?:-[ \t]*|\*[ \t]*){3,}$/;

/**
 * Whether more than so many quotes and lists begin on one line, within each other. The parser calls itself for each of
 * them, and takes the square of their number: ask before it is called.
 */
export function isNestedDeeply(text: string, most: number): boolean {
  return text.split('\n').some((line) => {
    const marker = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))/y;
    let depth = 0;
    while (depth <= most && marker.test(line)) depth += 1;
    return depth > most && !RULE.test(line);
  });
}

/**
 * A text with its names of characters, such as `&lt;`, replaced: those that a model has reason to write. The parser
 * knows more, and hidden characters may have come from them.
 */
export function decodeNames(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (all, name: string) => CHARACTERS[name] ?? all);
}

const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};

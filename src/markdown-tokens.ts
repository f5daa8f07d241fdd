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

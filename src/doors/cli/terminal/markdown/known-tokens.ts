import type { MarkedToken, Token } from 'marked';

/** What is shown of Markdown: neither the empty lines nor the definitions of links, which the links have taken up. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    'blockquote code heading hr html list paragraph table text ' +
    'br codespan del em escape image link strong'
  ).split(' '),
);

export function knownTokens(tokens: readonly Token[]): MarkedToken[] {
  return tokens.filter((token): token is MarkedToken => SHOWN.has(token.type));
}

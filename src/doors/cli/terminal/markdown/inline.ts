import type { MarkedToken, Token, Tokens } from 'marked';
import { oneLine, printable } from '../printable.ts';
import { styled } from '../styled.ts';
import { decodeNames, knownTokens } from '../../../../markdown-tokens.ts';

/** What stands within a line of Markdown, in the letters of a terminal. */
export function inlineText(tokens: readonly Token[]): string {
  return knownTokens(tokens).map(textOf).join('');
}

function textOf(token: MarkedToken): string {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? decoded(token.text) : inlineText(token.tokens);
    case 'strong':
      return styled('bold', inlineText(token.tokens));
    case 'em':
      return styled('italic', inlineText(token.tokens));
    case 'del':
      return styled('strikethrough', inlineText(token.tokens));
    case 'codespan':
      return styled('cyan', oneLine(token.text));
    case 'br':
      return '\n';
    case 'link':
      return linkText(token);
    case 'image':
      return oneLine(`[image${token.text === '' ? '' : `: ${token.text}`}] (${token.href})`);
    case 'escape':
    case 'html':
      return oneLine(token.text);
    default:
      return '';
  }
}

/** The address is shown: a link that a terminal opens could lead elsewhere than it says. */
function linkText({ href, text, tokens }: Tokens.Link): string {
  const isAddress = href === text || href === `mailto:${text}` || href === `http://${text}`;
  const shown = styled('underline', isAddress ? oneLine(text) : inlineText(tokens));
  return isAddress ? shown : `${shown} (${oneLine(href)})`;
}

/** In a paragraph a line end is a blank. */
function decoded(text: string): string {
  return printable(decodeNames(text).replaceAll('\n', ' '));
}

import type { Token, Tokens } from 'marked';
import type { ComponentChild } from 'preact';
import { decodeNames, knownTokens } from '../../../../markdown-tokens.ts';
import { safeAddress } from './safe-address.ts';

/** What stands within a line of Markdown, as nodes. */
export function inlineNodes(tokens: readonly Token[]): ComponentChild[] {
  return knownTokens(tokens).map((token) => {
    switch (token.type) {
      case 'text':
        return token.tokens === undefined ? decodeNames(token.text) : inlineNodes(token.tokens);
      case 'strong':
        return <strong>{inlineNodes(token.tokens)}</strong>;
      case 'em':
        return <em>{inlineNodes(token.tokens)}</em>;
      case 'del':
        return <del>{inlineNodes(token.tokens)}</del>;
      case 'codespan':
        return <code>{token.text}</code>;
      case 'br':
        return '\n';
      case 'link':
        return link(token, inlineNodes(token.tokens));
      case 'image':
        return link(token, [`[image: ${token.text || 'without a description'}]`]);
      case 'escape':
      case 'html':
        return token.text;
      default:
        return '';
    }
  });
}

/** Nothing is fetched for it. A reader sees where it leads; what leads nowhere safe is text. */
function link({ href, text }: Tokens.Link | Tokens.Image, shown: ComponentChild[]): ComponentChild {
  const address = safeAddress(href);
  if (address === undefined) return [...shown, ` (${href})`];
  const isAddress = [href, href.replace(/^(?:mailto:|https?:\/\/)/, '')].includes(text);
  return [
    <a href={address.href} title={address.href} target="_blank" rel="noopener noreferrer">
      {shown}
    </a>,
    !isAddress && <span class="leads-to"> ({address.place})</span>,
  ];
}

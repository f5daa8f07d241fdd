import type { Token, Tokens } from 'marked';
import type { ComponentChild } from 'preact';
import { knownTokens } from '../../../../markdown-tokens.ts';
import type { Block } from './block-reader.ts';
import { CodeBlock } from './code-block.tsx';
import { inlineNodes } from './inline.tsx';

/** A block of Markdown as nodes. Nothing in it is read as HTML. */
export function blockNode(token: Block['token']): ComponentChild {
  switch (token.type) {
    case 'heading':
      // Levels are those of the page, in which the text stands below a heading of its own.
      return <h4 class={`depth-${token.depth}`}>{inlineNodes(token.tokens)}</h4>;
    case 'paragraph':
      return <p>{inlineNodes(token.tokens)}</p>;
    case 'text':
      return inlineNodes(token.tokens ?? [token]);
    case 'code':
      return <CodeBlock text={token.text} language={token.lang ?? ''} />;
    case 'blockquote':
      return <blockquote>{nodesWithin(token.tokens)}</blockquote>;
    case 'list':
      return list(token);
    case 'table':
      return table(token);
    case 'hr':
      return <hr />;
    case 'html':
      return <p class="written">{token.text.trimEnd()}</p>;
    case 'unread':
      return [<p class="muted">Shown as it is written: {token.why}.</p>, <p class="written">{token.text}</p>];
    default:
      return null;
  }
}

function nodesWithin(tokens: readonly Token[]): ComponentChild[] {
  return knownTokens(tokens).map(blockNode);
}

function list({ ordered, start, items }: Tokens.List): ComponentChild {
  const shown = items.map((item) => (
    <li class={item.task ? 'task' : undefined}>
      {item.task && (
        <span role="img" aria-label={item.checked ? 'done' : 'open'}>
          {item.checked ? '☑' : '☐'}{' '}
        </span>
      )}
      {nodesWithin(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{shown}</ol> : <ul>{shown}</ul>;
}

/** It scrolls within itself where it is wider than the text. */
function table({ header, rows }: Tokens.Table): ComponentChild {
  return (
    <div class="table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }) => (
              <th scope="col" class={align ?? undefined}>
                {inlineNodes(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map(({ tokens, align }) => (
                <td class={align ?? undefined}>{inlineNodes(tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

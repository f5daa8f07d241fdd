import { Lexer, type MarkedToken, type Tokens } from 'marked';
import wrapAnsi from 'wrap-ansi';
import { inlineText } from './inline.ts';
import { printable } from '../printable.ts';
import { styled } from '../styled.ts';
import { isNestedDeeply, knownTokens } from '../../../../markdown-tokens.ts';
import { tableLines, type TableShape } from './table.ts';

/** Narrower lines help no reader. */
const LEAST_WIDTH = 8;

/** Quotes and lists within each other: as many as the usual width has room for. */
const MOST_NESTED = 40;

/** Markdown as lines of a terminal: with its colours and letters, and no wider than it is. */
export function blockLines(text: string, width: number, label = ''): string[] {
  const tokens = read(text);
  const isBeside = label === '' || tokens[0]?.type === 'paragraph';
  return isBeside
    ? linesOf(tokens, width, { label, isLoose: true })
    : [label.trimEnd(), ...linesOf(tokens, width, { isLoose: true })];
}

/** A line of code: not wrapped, so that it can be copied. */
export function codeLine(line: string): string {
  return line === '' ? '' : styled('cyan', line);
}

/**
 * Rows of a table with its head, or without.
 * @param shape as wide as the rows before these; undefined: these are the first
 */
export function rowLines(
  head: string,
  rows: readonly string[],
  width: number,
  shape?: TableShape,
): { lines: string[]; shape: TableShape | undefined } {
  const [table] = read([head, ...rows].join('\n'));
  // A head whose columns are not those of its delimiters is none.
  if (table?.type !== 'table') return { lines: blockLines([head, ...rows].join('\n'), width), shape };
  return tableLines(table, width, shape);
}

/** The parser's tokens; for a text that is nested too deeply for it, a single token with the text as written. */
function read(text: string): MarkedToken[] {
  const asWritten: MarkedToken[] = [{ type: 'code', raw: text, text }];
  if (isNestedDeeply(text, MOST_NESTED)) return asWritten;
  try {
    return knownTokens(new Lexer({ gfm: true }).lex(text));
  } catch {
    return asWritten;
  }
}

function linesOf(
  tokens: readonly MarkedToken[],
  width: number,
  { label = '', isLoose }: { label?: string; isLoose: boolean },
): string[] {
  const blocks = tokens.map((token, index) => linesOfBlock(token, width, index === 0 ? label : ''));
  return blocks
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index > 0 && isLoose ? ['', ...lines] : lines));
}

function linesOfBlock(token: MarkedToken, width: number, label: string): string[] {
  switch (token.type) {
    case 'heading': {
      const title = styled('bold', inlineText(token.tokens));
      return wrapped(token.depth > 1 ? title : styled('underline', title), width);
    }
    case 'paragraph':
    case 'text':
      return wrapped(label + inlineText(token.tokens ?? [token]), width);
    case 'code':
      return printable(token.text).split('\n').map(codeLine);
    case 'blockquote':
      return linesWithin(token, width - 2, true).map((line) => `${styled('dim', '│')} ${line}`.trimEnd());
    case 'list':
      return token.items.flatMap((item, index) => [
        ...(token.loose && index > 0 ? [''] : []),
        ...itemLines(item, markOf(token, index), width),
      ]);
    case 'table':
      return tableLines(token, width).lines;
    case 'hr':
      return [styled('dim', '─'.repeat(Math.max(LEAST_WIDTH, Math.min(40, width))))];
    case 'html':
      return wrapped(printable(token.text.trimEnd()), width);
    default:
      return [];
  }
}

function markOf({ ordered, start }: Tokens.List, index: number): string {
  return ordered ? `${Number(start) + index}. ` : '• ';
}

function itemLines(item: Tokens.ListItem, bullet: string, width: number): string[] {
  const mark = item.task ? `${bullet}${item.checked ? '☑' : '☐'} ` : bullet;
  const lines = linesWithin(item, width - mark.length, item.loose);
  const indented = lines.map((line) => (line === '' ? '' : ' '.repeat(mark.length) + line));
  return indented.length === 0
    ? [mark.trimEnd()]
    : indented.map((line, index) => (index === 0 ? mark + line.slice(mark.length) : line));
}

/** The blocks within a block; unchanged where they are nested so deeply that no width is left for them. */
function linesWithin(block: Tokens.Blockquote | Tokens.ListItem, width: number, isLoose: boolean): string[] {
  if (width < LEAST_WIDTH) return wrapped(printable(block.text), width);
  return linesOf(knownTokens(block.tokens), width, { isLoose });
}

function wrapped(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(LEAST_WIDTH, width), { hard: true }).split('\n');
}

import { Lexer, type MarkedToken, type TokensList } from 'marked';
import { isNestedDeeply, knownTokens } from '../../../../markdown-tokens.ts';

/** A block of Markdown that stands in no other one. */
export interface Block {
  /** Where it begins in the text. */
  start: number;
  token: MarkedToken | Unread;
}

/** A part of a text that is shown as it is written. */
export interface Unread {
  type: 'unread';
  text: string;
  why: string;
}

/** So much is read at a time, so that the page is not halted. */
const PART = 16_000;
/** The parser may take the square of the length of a block; only code takes no longer than its length. */
const MOST_IN_BLOCK = 32_000;
/** What stands within a line may take that, too, and is read in pieces: no emphasis spans two of them. */
const LINE_PIECE = 2_000;
/** Quotes and lists within each other: as many as anybody reads. */
const MOST_NESTED = 12;

const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:.*$/gm;

/**
 * Reads Markdown that grows while it is read: what stands before the last blocks never changes, and is read once. A long
 * text is read in several steps, so that the page can be drawn between them.
 */
export class BlockReader {
  #text = '';
  /** Blocks that no later text changes, where they end, and those behind them. */
  #settled: Block[] = [];
  #end = 0;
  #open: Block[] = [];
  #isRead = false;
  /** The lines that name addresses, and these. */
  #definitions = '';
  #links = linksOf('');

  get blocks(): readonly Block[] {
    return [...this.#settled, ...this.#open];
  }

  /** What has not been read yet: the next step goes on there. */
  get rest(): string {
    return this.#isRead ? '' : this.#text.slice(this.#end);
  }

  /** Reads on. @param text the same or longer; any other is read from its beginning */
  read(text: string): void {
    if (text === this.#text && this.#isRead) return;
    // An address may be named behind the texts that lead to it.
    const definitions = (text.match(DEFINITION) ?? []).join('\n');
    if (!text.startsWith(this.#text) || definitions !== this.#definitions) {
      this.#settled = [];
      this.#end = 0;
      this.#definitions = definitions;
      this.#links = linksOf(definitions);
    }
    this.#text = text;
    this.#open = [];
    this.#step(PART);
  }

  #step(length: number): void {
    const part = this.#text.slice(this.#end, this.#end + length);
    this.#isRead = this.#end + length >= this.#text.length;
    const found = this.#blocksOf(part);
    const open = this.#unsettledOf(found);
    const [first] = open;
    if (first === undefined) {
      if (!this.#isRead) this.#end += part.length;
    } else if (this.#isRead || found.length > open.length) {
      this.#settled.push(...found.slice(0, -open.length));
      this.#end = first.start;
      if (this.#isRead) this.#open = open;
    } else if (length < MOST_IN_BLOCK || open.at(-1)?.token.type === 'code') {
      this.#step(2 * length);
    } else {
      this.#settled.push(...open);
      this.#end += part.length;
    }
  }

  /**
   * The last block, and the one that it may still turn out to belong to: as long as its first lines are not whole, a line
   * of the block right above it may look like a rule, a heading or a table, and an item of a list like a number.
   */
  #unsettledOf(found: Block[]): Block[] {
    const [above, last] = found.slice(-2);
    if (above === undefined || last === undefined) return found;
    const isApart = /\n[ \t]*\n$/.test(this.#text.slice(above.start, last.start));
    return isApart && above.token.type !== 'list' ? [last] : [above, last];
  }

  #blocksOf(part: string): Block[] {
    let start = this.#end;
    const unread = (why: string): Block[] => [{ start, token: { type: 'unread', text: part, why } }];
    if (isNestedDeeply(part, MOST_NESTED)) return unread('too many quotes or lists within each other');
    const lexer = new Lexer({ gfm: true });
    try {
      const tokens = lexer.blockTokens(part, []);
      lexer.tokens.links = this.#links;
      for (const { src, tokens: within } of lexer.inlineQueue) {
        for (const piece of piecesOf(src)) lexer.inlineTokens(piece, within);
      }
      return tokens.flatMap((each) => {
        const blocks = knownTokens([each]).map((token) => ({ start, token }));
        start += each.raw.length;
        return blocks;
      });
    } catch {
      return unread('its Markdown cannot be read');
    }
  }
}

/** The addresses that lines such as `[name]: https://example.org` define, by their names. */
function linksOf(definitions: string): TokensList['links'] {
  const lexer = new Lexer({ gfm: true });
  lexer.blockTokens(definitions, []);
  return lexer.tokens.links;
}

/** Cut at blanks where there are any. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > LINE_PIECE) {
    const blank = text.lastIndexOf(' ', start + LINE_PIECE);
    const end = blank > start ? blank : start + LINE_PIECE;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return [...pieces, text.slice(start)];
}

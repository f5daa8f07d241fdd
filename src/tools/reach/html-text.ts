import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parser } from 'htmlparser2';

/**
 * The most elements of a page written by people, and of one that takes seconds to read: an end tag is looked for among all
 * that are open. The largest articles of Wikipedia have half as many.
 */
const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 2_000;

/** As many as a page has bytes at most: each of its links is short where it stands, and may be long in full. */
const MAX_CHARACTERS = 5 * 2 ** 20;
const MAX_LINK_CHARACTERS = 2_000;

/** Lists and quotes within each other that are told apart. */
const MAX_INDENTS = 10;

/** So many characters are read before others have their turn. */
const PIECE = 32_768;

/**
 * The text of a page: headings and lists as they look, rows of tables in lines, links with their targets.
 * @param url of the page, against which its links are resolved
 * @returns undefined for a text that is too large or too deep to be a page
 */
export async function htmlToText(html: string, url: string): Promise<string | undefined> {
  const page = new PageText(url);
  for (let at = 0; at < html.length && !page.isTooMuch; at += PIECE) {
    page.read(html.slice(at, at + PIECE));
    await nextTurn();
  }
  return page.end();
}

const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title']);

/** Elements that begin a line and end it, by the line ends that part them from others. */
const LINE_ENDS: ReadonlyMap<string, number> = new Map([
  ...names('blockquote dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul', 2),
  ...names(
    `address article aside body caption dd details div dt fieldset figcaption figure footer form header li main nav
    option section summary tr`,
    1,
  ),
]);

function names(written: string, ends: number): [string, number][] {
  return written.split(/\s+/).map((name) => [name, ends]);
}

/** What stands in front of the lines of an item or a quote. */
interface Indent {
  /** The mark of an item, until it is written. */
  first?: string | undefined;
  rest: string;
}

class PageText {
  isTooMuch = false;
  readonly #parts: string[] = [];
  #characters = 0;
  /** What is written ahead of the next text. */
  #lineEnds = 0;
  #hasBlank = false;
  #elements = 0;
  #depth = 0;
  #unseen = 0;
  #preformatted = 0;
  /** Of the row. */
  #cells = 0;
  readonly #indents: Indent[] = [];
  /** The numbers of the next items of lists; undefined where they have none. */
  readonly #lists: (number | undefined)[] = [];
  #link: { written: string; target: string; from: number } | undefined;
  #url: string;
  readonly #parser = new Parser({
    onopentag: (name, attributes) => this.#open(name, attributes),
    onclosetag: (name) => this.#close(name),
    ontext: (text) => this.#read(text),
  });

  constructor(url: string) {
    this.#url = url;
  }

  read(html: string): void {
    this.#parser.write(html);
  }

  end(): string | undefined {
    if (!this.isTooMuch) this.#parser.end();
    return this.isTooMuch ? undefined : this.#parts.join('');
  }

  #open(name: string, attributes: Record<string, string>): void {
    this.#elements += 1;
    this.#depth += 1;
    if (this.#elements > MAX_ELEMENTS || this.#depth > MAX_DEPTH) this.#giveUp();
    if (UNSEEN.has(name)) this.#unseen += 1;
    this.#endLines(name);
    switch (name) {
      case 'a':
        this.#endLink();
        this.#beginLink(attributes['href'] ?? '');
        break;
      case 'base':
        this.#url = resolved(attributes['href'] ?? '', this.#url) ?? this.#url;
        break;
      case 'blockquote':
        this.#indents.push({ rest: '> ' });
        break;
      case 'br':
        this.#lineEnds += 1;
        break;
      case 'hr':
        this.#add('-'.repeat(40));
        break;
      case 'li':
        this.#beginItem();
        break;
      case 'ol':
        this.#lists.push(Number.parseInt(attributes['start'] ?? '1', 10) || 0);
        break;
      case 'pre':
        this.#preformatted += 1;
        break;
      case 'td':
      case 'th':
        this.#beginCell();
        break;
      case 'tr':
        this.#cells = 0;
        break;
      case 'ul':
        this.#lists.push(undefined);
        break;
    }
  }

  #close(name: string): void {
    this.#depth -= 1;
    if (UNSEEN.has(name)) this.#unseen -= 1;
    if (name === 'a') this.#endLink();
    if (name === 'blockquote' || name === 'li') this.#indents.pop();
    if (name === 'ol' || name === 'ul') this.#lists.pop();
    if (name === 'pre') this.#preformatted -= 1;
    this.#endLines(name);
  }

  #read(text: string): void {
    if (this.#unseen > 0) return;
    if (this.#preformatted > 0) return this.#readLines(text.split(/\r?\n/));
    const line = text.replace(/[ \t\r\n\f\u200b]+/g, ' ');
    if (line.startsWith(' ')) this.#hasBlank = true;
    const words = line.replace(/^ | $/g, '');
    if (words === '') return;
    this.#add(words);
    this.#hasBlank = line.endsWith(' ');
  }

  #readLines(lines: readonly string[]): void {
    const first = lines.findIndex((line) => line !== '');
    const last = lines.findLastIndex((line) => line !== '');
    this.#lineEnds += first < 0 ? lines.length - 1 : first;
    if (first < 0) return;
    const indent = this.#indents.slice(0, MAX_INDENTS).map(({ rest }) => rest);
    this.#add(lines.slice(first, last + 1).join(`\n${indent.join('')}`));
    this.#lineEnds += lines.length - 1 - last;
  }

  #add(text: string): void {
    if (this.#parts.length === 0) this.#put(this.#indent());
    else if (this.#lineEnds > 0) this.#put('\n'.repeat(this.#lineEnds) + this.#indent());
    else if (this.#hasBlank) this.#put(' ');
    this.#lineEnds = 0;
    this.#hasBlank = false;
    this.#put(text);
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) this.#giveUp();
  }

  #giveUp(): void {
    this.isTooMuch = true;
    this.#parser.pause();
  }

  #endLines(name: string): void {
    const isInList = this.#lists.length > 0 && (name === 'ol' || name === 'ul');
    this.#lineEnds = Math.max(this.#lineEnds, isInList ? 1 : (LINE_ENDS.get(name) ?? 0));
  }

  #indent(): string {
    return this.#indents
      .slice(0, MAX_INDENTS)
      .map((indent) => {
        const { first, rest } = indent;
        indent.first = undefined;
        return first ?? rest;
      })
      .join('');
  }

  #beginItem(): void {
    const number = this.#lists.at(-1);
    if (number !== undefined) this.#lists[this.#lists.length - 1] = number + 1;
    const mark = number === undefined ? '* ' : `${number}. `;
    const first = this.#indents.length === 0 ? ` ${mark}` : mark;
    this.#indents.push({ first, rest: ' '.repeat(first.length) });
  }

  /** A line of a table, unless a cell has lines of its own. */
  #beginCell(): void {
    this.#cells += 1;
    if (this.#cells === 1 || this.#lineEnds > 0) return;
    this.#hasBlank = true;
    this.#add('|');
    this.#hasBlank = true;
  }

  #beginLink(written: string): void {
    const target = written.startsWith('#') ? undefined : resolved(written, this.#url);
    if (target !== undefined && target.length <= MAX_LINK_CHARACTERS)
      this.#link = { written, target, from: this.#parts.length };
  }

  #endLink(): void {
    if (this.#link === undefined) return;
    const { written, target, from } = this.#link;
    this.#link = undefined;
    const text = this.#parts.slice(from).join('').trim();
    if (text === written || text === target) return;
    const [ends, hasBlank] = [this.#lineEnds, this.#hasBlank];
    // Behind its text, which may be a heading.
    if (text !== '') this.#lineEnds = 0;
    this.#hasBlank = true;
    this.#add(`[${target}]`);
    this.#hasBlank = hasBlank;
    if (text !== '') this.#lineEnds = ends;
  }
}

/** Where a link leads; undefined if that is no place, as with scripts and data. */
function resolved(href: string, base: string): string | undefined {
  if (href.trim() === '' || !URL.canParse(href, base)) return undefined;
  const { protocol, href: whole } = new URL(href, base);
  if (protocol === 'mailto:') return whole.slice('mailto:'.length);
  return protocol === 'http:' || protocol === 'https:' ? whole : undefined;
}

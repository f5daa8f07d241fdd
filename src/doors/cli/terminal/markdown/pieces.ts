import { printable } from '../printable.ts';

/** A part of an answer that later text no longer changes. */
export type Piece =
  /** Blocks of Markdown, whole; `isApart`: after an empty line. */
  | { kind: 'blocks'; text: string; isApart: boolean }
  /** A line of a block of code. */
  | { kind: 'code'; line: string }
  /** Rows of a table under its head. `isNew`: the first of it. */
  | { kind: 'rows'; head: string; rows: readonly string[]; isNew: boolean };

/** Cuts a text that is still written into pieces. */
export interface Pieces {
  /** @returns the pieces that this text has finished */
  add(text: string): Piece[];
  /** The text behind the last piece, as it was written. */
  rest(): string;
  /** Nothing more comes. @returns the rest */
  end(): Piece[];
}

/** A longer block is cut: the time to read Markdown may grow with the square of its length. */
const MAX_CHARACTERS = 8000;

/** The columns of a table are as wide as these rows need them: the width cannot change once rows stand there. */
const FIRST_ROWS = 12;

const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
const ITEM = /^( *)(?:[-+*]|\d{1,9}[.)])(?: |$)/;
/** Another number than 1 at the beginning of a line in a paragraph is part of its sentence. */
const FIRST_ITEM = /^( *)(?:[-+*]|1[.)]) /;
const DELIMITERS = /^ *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

/** Cuts Markdown after its paragraphs, items of lists, lines of code and rows of tables. */
export function openPieces(): Pieces {
  /** The end of the text, behind its last line end. */
  let partial = '';
  /** The lines of the block that has begun. */
  let lines: string[] = [];
  let isApart = false;
  let code: { indent: number; end: RegExp } | undefined;
  let table: { head: string; rows: string[]; isNew: boolean } | undefined;

  function flush(): Piece[] {
    const text = lines.join('\n').trimEnd();
    lines = [];
    const blocks: Piece[] = text === '' ? [] : [{ kind: 'blocks', text, isApart }];
    isApart = false;
    return [...blocks, ...flushRows(true)];
  }

  function flushRows(isEnd: boolean): Piece[] {
    if (table === undefined) return [];
    const { head, rows, isNew } = table;
    table = isEnd ? undefined : { head, rows: [], isNew: false };
    return isNew || rows.length > 0 ? [{ kind: 'rows', head, rows, isNew }] : [];
  }

  function takeLine(line: string): Piece[] {
    if (code !== undefined) return takeCode(line, code);
    if (line.trim() === '') return takeBlank();
    const fence = FENCE.exec(line);
    const [first = ''] = lines;
    const inItem = ITEM.test(first) && /^(?: {2}|\t)/.test(line);
    if (fence !== null && !inItem) {
      const [, indent = '', marks = ''] = fence;
      code = { indent: indent.length, end: new RegExp(`^ {0,3}${marks[0]}{${marks.length},} *$`) };
      return flush();
    }
    if (table !== undefined && line.includes('|')) {
      table.rows.push(line);
      return table.isNew && table.rows.length < FIRST_ROWS ? [] : flushRows(false);
    }
    const isNext = table !== undefined || (lines.at(-1) === '' && !inItem) || beginsItem(line, first);
    const isAfterBlank = isNext ? lines.at(-1) === '' : isApart;
    const finished = isNext ? flush() : [];
    isApart = isAfterBlank;
    lines.push(line);
    return [...finished, ...(isTooLong() ? flush() : beginTable())];
  }

  function takeCode(line: string, { indent, end }: { indent: number; end: RegExp }): Piece[] {
    if (!end.test(line)) return [{ kind: 'code', line: line.replace(new RegExp(`^ {0,${indent}}`), '') }];
    code = undefined;
    return [];
  }

  /** A list may go on after an empty line. */
  function takeBlank(): Piece[] {
    if (ITEM.test(lines[0] ?? '')) {
      lines.push('');
      return [];
    }
    const finished = flush();
    isApart = true;
    return finished;
  }

  function beginTable(): Piece[] {
    const [head = '', delimiters = ''] = lines.slice(-2);
    if (lines.length < 2 || !head.includes('|') || !DELIMITERS.test(delimiters)) return [];
    lines = lines.slice(0, -2);
    const before = flush();
    table = { head: `${head}\n${delimiters}`, rows: [], isNew: true };
    return before;
  }

  /** Takes the beginning of a line that is too long, up to a blank where there is one. */
  function takeBeginning(): Piece[] {
    const cut = partial.lastIndexOf(' ', MAX_CHARACTERS - 1) + 1 || lengthWithin(partial, MAX_CHARACTERS);
    const line = toLine(partial.slice(0, cut));
    partial = partial.slice(cut);
    return [...takeLine(line), ...(code === undefined ? flush() : [])];
  }

  const isTooLong = () => lines.reduce((sum, line) => sum + line.length, 0) > MAX_CHARACTERS;

  return {
    add(text) {
      const all = (partial + text).split('\n');
      return all.flatMap((line, index) => {
        partial = line;
        const finished: Piece[] = [];
        while (partial.length > MAX_CHARACTERS) finished.push(...takeBeginning());
        return index === all.length - 1 ? finished : [...finished, ...takeLine(toLine(partial))];
      });
    },
    rest: () =>
      [
        ...(table === undefined ? [] : [...(table.isNew ? [table.head] : []), ...table.rows]),
        ...lines,
        partial,
      ]
        .join('\n')
        .trimStart(),
    end() {
      const last = partial === '' ? [] : takeLine(toLine(partial));
      partial = '';
      return [...last, ...flush()];
    },
  };
}

/** At most so many units of a text, without half of a character at the end. */
function lengthWithin(text: string, most: number): number {
  return (text.codePointAt(most - 1) ?? 0) > 0xffff ? most - 1 : most;
}

/** A line as it is shown: hidden characters are replaced before we add any of our own. */
function toLine(line: string): string {
  return printable(line.endsWith('\r') ? line.slice(0, -1) : line);
}

/** Whether a line begins another item of the list that the block is, or a list behind the paragraph that it is. */
function beginsItem(line: string, first: string): boolean {
  if (first === '') return false;
  const [, base] = ITEM.exec(first) ?? [];
  const [, indent] = (base === undefined ? FIRST_ITEM : ITEM).exec(line) ?? [];
  return indent !== undefined && indent.length <= (base?.length ?? 2) + 1;
}

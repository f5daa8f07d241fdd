import stringWidth from 'string-width';
import { oneLine } from './printable.ts';
import { styled } from './styled.ts';

/** Lines in columns, by the width that a terminal gives each character: two for 漢, none for a combining accent. */
export interface Column {
  /** One for each line; nothing in them but text in one line. */
  cells: readonly string[];
  align?: 'right';
  /** If not all fit, the column of the highest rank is left out first; one without a rank always stays. */
  rank?: number;
  /** Colours a cell that has its width already. */
  paint?: (cell: string, line: number) => string;
}

/** A text at the end of a line. If it is too long, its beginning is shown or, for a tail, its end. */
export type LineNote = string | { tail: string };

const GAP = '  ';

/** How much of a line is kept for notes, and at most how many columns, where there are any. */
const SHARE_OF_NOTES = 1 / 2;
const LEAST_NOTE = 30;

/**
 * @param width of a line at most; absent: no limit
 * @param notes a text at the end of each line, which gets the rest of its width
 */
export function inColumns(
  columns: readonly Column[],
  width = Infinity,
  notes: readonly LineNote[] = [],
): string[] {
  const measured = columns
    .map((column) => ({ ...column, width: widest(column.cells) }))
    .filter((column) => column.width > 0);
  const room = width - (notes.every(isEmpty) ? 0 : Math.min(LEAST_NOTE, Math.floor(width * SHARE_OF_NOTES)));
  let used = 0;
  const fitting = new Set(
    measured
      .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
      .filter((column) => {
        const needed = column.width + (used === 0 ? 0 : GAP.length);
        if (column.rank !== undefined && used + needed > room) return false;
        used += needed;
        return true;
      }),
  );
  const shown = measured.filter((column) => fitting.has(column));
  const lines = shown[0]?.cells.length ?? 0;
  return Array.from({ length: lines }, (_, line) => {
    const cells = shown.map(({ cells: texts, align, width: columnWidth, paint = (cell) => cell }) =>
      paint(padded(texts[line] ?? '', columnWidth, align), line),
    );
    const note = fittedNote(notes[line] ?? '', Math.max(0, width - used - GAP.length));
    return [...cells, ...(note === '' ? [] : [note])].join(GAP).trimEnd();
  });
}

/**
 * The columns that a text takes at most. Some terminals draw one character that is made of several (👩‍🔬, 👍🏽) as one,
 * others draw all of its parts: a line measured as the former would break in the latter.
 */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

function widthOfGrapheme(grapheme: string): number {
  if (/^[ -~]$/.test(grapheme)) return 1;
  const [, ...others] = grapheme;
  if (others.length === 0) return stringWidth(grapheme);
  const parts = [...grapheme].reduce((sum, part) => sum + stringWidth(part), 0);
  return Math.max(stringWidth(grapheme), parts);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * More UTF-16 units than a text of this width has, unless its characters are made of dozens. A text to be cut may be as
 * long as a book, and finding its characters takes time: nothing beyond these is read.
 */
export function mostUnits(width: number): number {
  return 16 * Math.max(1, width);
}

/** The text, or as much of its beginning as fits with a `…` after it. */
export function fitted(text: string, width: number): string {
  const beginning = text.slice(0, mostUnits(width));
  const isWhole = beginning.length === text.length;
  if (isWhole && widthOf(text) <= width) return text;
  const characters = [...graphemes.segment(beginning)];
  // The last may have been cut.
  const kept = firstFitting(isWhole ? characters : characters.slice(0, -1), width - 1);
  return width < 1 ? '' : `${kept.join('').trimEnd()}…`;
}

/** The text, or as much of its end as fits with a `…` before it. */
export function fittedTail(text: string, width: number): string {
  const end = text.slice(-mostUnits(width));
  const isWhole = end.length === text.length;
  if (isWhole && widthOf(text) <= width) return text;
  const characters = [...graphemes.segment(end)];
  // The first may have been cut.
  const kept = firstFitting((isWhole ? characters : characters.slice(1)).reverse(), width - 1).reverse();
  return width < 1 ? '' : `…${kept.join('').trimStart()}`;
}

/** The first of the characters, as long as they fit. */
function firstFitting(segments: Iterable<Intl.SegmentData>, width: number): string[] {
  const kept: string[] = [];
  let left = width;
  for (const { segment } of segments) {
    left -= widthOfGrapheme(segment);
    if (left < 0) break;
    kept.push(segment);
  }
  return kept;
}

function isEmpty(note: LineNote): boolean {
  return (typeof note === 'string' ? note : note.tail) === '';
}

function fittedNote(note: LineNote, width: number): string {
  return typeof note === 'string' ? fitted(note, width) : fittedTail(note.tail, width);
}

function padded(text: string, width: number, align: 'right' | undefined): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? blanks + text : text + blanks;
}

function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, widthOf(cell)), 0);
}

/** A line that is being typed. */
export interface TypedLine {
  line: string;
  /** In UTF-16 units. */
  cursor: number;
}

/** The part of a line around the cursor, which is drawn by inverting the colours of its place. */
export function lineWithCursor({ line, cursor }: TypedLine, width: number): string {
  const [under = ''] = line.slice(cursor, cursor + 2);
  const next = cursor + under.length;
  const most = mostUnits(width);
  const typed = oneLine(line.slice(Math.max(0, cursor - most), cursor));
  const before = fittedTail(typed, Math.max(0, width - 3));
  const rest = fitted(oneLine(line.slice(next, next + most)), Math.max(0, width - 3 - widthOf(before)));
  return before + styled('inverse', under === '' ? ' ' : oneLine(under)) + rest;
}

import type { Tokens } from 'marked';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { styled } from '../styled.ts';
import { inlineText } from './inline.ts';

/** The width of each column of a table. */
export type TableShape = readonly number[];

const GAP = '  ';

/** No column is made narrower than this for the sake of others. */
const LEAST_WIDTH = 6;

/**
 * A table as lines, its cells wrapped where they do not fit.
 * @param shape of the rows before these, below which these stand without a head; undefined: these are the first
 */
export function tableLines(
  { header, rows, align }: Tokens.Table,
  width: number,
  shape?: TableShape,
): { lines: string[]; shape: TableShape } {
  const head = header.map(({ tokens }) => styled('bold', inlineText(tokens)));
  const cells = rows.map((row) => row.map(({ tokens }) => inlineText(tokens)));
  const widths = shape ?? fitting(natural([head, ...cells]), width);
  const toLines = (row: readonly string[]) => linesOfRow(row, widths, align);
  const rule = styled('dim', widths.map((columns) => '─'.repeat(columns)).join(GAP));
  return {
    lines: [...(shape === undefined ? [...toLines(head), rule] : []), ...cells.flatMap(toLines)],
    shape: widths,
  };
}

function natural(rows: readonly (readonly string[])[]): number[] {
  const [head = []] = rows;
  return head.map((_, column) => Math.max(1, ...rows.map((row) => stringWidth(row[column] ?? ''))));
}

/** Takes from the widest columns what does not fit. */
function fitting(widths: readonly number[], width: number): number[] {
  const room = width - GAP.length * (widths.length - 1);
  const total = widths.reduce((sum, each) => sum + each, 0);
  const widest = Math.max(...widths);
  if (total <= room || widest <= LEAST_WIDTH) return [...widths];
  const others = Math.max(LEAST_WIDTH, ...widths.filter((each) => each < widest));
  const most = widths.filter((each) => each === widest).length;
  const narrower = Math.max(others, widest - Math.ceil((total - room) / most));
  return fitting(
    widths.map((each) => (each === widest ? narrower : each)),
    width,
  );
}

function linesOfRow(row: readonly string[], widths: TableShape, align: Tokens.Table['align']): string[] {
  const cells = widths.map((width, column) => wrapAnsi(row[column] ?? '', width, { hard: true }).split('\n'));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, column) => padded(cells[column]?.[line] ?? '', width, align[column] ?? 'left'))
      .join(GAP)
      .trimEnd(),
  );
}

function padded(text: string, width: number, align: 'center' | 'left' | 'right'): string {
  const free = Math.max(0, width - stringWidth(text));
  const before = { left: 0, center: Math.floor(free / 2), right: free }[align];
  return ' '.repeat(before) + text + ' '.repeat(free - before);
}

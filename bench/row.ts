import * as v from 'valibot';

/** One line of the table. */
export const rowSchema = v.object({
  what: v.string(),
  value: v.number(),
  /** With its space: ` ms`; "" for a ratio. */
  unit: v.string(),
  digits: v.number(),
  /** The limit of the value; absent for a figure without one. */
  atMost: v.optional(v.number()),
  /**
   * Which of several measurements counts: the least of a time, since other work can only add to it; the median of a
   * value that may err both ways.
   */
  counts: v.picklist(['least', 'median', 'most']),
});
export type Row = v.InferOutput<typeof rowSchema>;

/** The rows of several measurements as one: each row's value is the one that counts. */
export function mergeRows(measurements: readonly (readonly Row[])[]): Row[] {
  const [first = []] = measurements;
  return first.map((row, index) => {
    const values = measurements.map((rows) => rows[index]?.value ?? NaN);
    return { ...row, value: pick(values, row.counts) };
  });
}

export function median(values: readonly number[]): number {
  return pick(values, 'median');
}

function pick(values: readonly number[], which: Row['counts']): number {
  const sorted = values.toSorted((one, other) => one - other);
  const index = { least: 0, median: sorted.length >> 1, most: sorted.length - 1 }[which];
  return sorted[index] ?? NaN;
}

export function isMissed({ value, atMost }: Row): boolean {
  return atMost !== undefined && value > atMost;
}

/** The rows as a Markdown table that can be read as it is. */
export function toTable(rows: readonly Row[]): string {
  const cells = [['measure', 'value', 'at most', 'verdict'], ...rows.map(toCells)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

function toCells(row: Row): string[] {
  const { what, value, unit, digits, atMost } = row;
  const shown = `${value.toFixed(digits)}${unit}`;
  if (atMost === undefined) return [what, shown, '', ''];
  return [what, shown, `${atMost}${unit}`, isMissed(row) ? 'MISSED' : 'met'];
}

/** One line of the table. */
export interface Row {
  what: string;
  value: string;
  /** "" for a figure that nothing is asked of. */
  target: string;
  /** Absent where there is no target, or nothing could be measured. */
  isMet?: boolean;
}

/** A figure that has to stay at or below a limit, both written with the same unit. */
export function atMost(what: string, value: number, limit: number, unit: string, digits = 2): Row {
  const write = (figure: number, places: number) => `${figure.toFixed(places)}${unit}`;
  const target = `at most ${write(limit, Number.isInteger(limit) ? 0 : 1)}`;
  return { what, value: write(value, digits), target, isMet: value <= limit };
}

/** A figure for the eye. */
export function figure(what: string, value: string): Row {
  return { what, value, target: '' };
}

/** Something that has to hold. */
export function holds(what: string, value: string, target: string, isMet: boolean): Row {
  return { what, value, target, isMet };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** The rows as a Markdown table, which is readable as it is. */
export function toTable(rows: readonly Row[]): string {
  const cells = [
    ['measure', 'value', 'target', 'verdict'],
    ...rows.map((row) => [row.what, row.value, row.target, verdict(row)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

function verdict({ isMet }: Row): string {
  if (isMet === undefined) return '';
  return isMet ? 'met' : 'MISSED';
}

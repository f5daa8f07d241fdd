import { KILLED } from '../../../core/records/phase.ts';
import type { Run } from '../../../core/records/run.ts';
import { shownDuration } from '../../../core/reports/shown-duration.ts';
import { PHASES, type ShownPhase } from '../../../core/reports/words/phase-words.ts';
import { fitted, inColumns, type LineNote } from './columns.ts';
import { runName } from './derived-run.ts';
import { count, counted } from '../../../counted.ts';
import { inDollars, seconds } from './figures.ts';
import { oneLine } from './printable.ts';

/** The facts about a run that the live view and `cadre show` share. */
export type TreeRow = Pick<
  Run,
  | 'id'
  | 'agent'
  | 'derivedBy'
  | 'failure'
  | 'name'
  | 'usage'
  | 'startedAt'
  | 'endedAt'
  | 'resumedAt'
  | 'times'
  | 'workedMs'
> & {
  status: ShownPhase;
  parent?: { run: string };
  /** Its task, the text that its model writes, or why it waits or has no answer: in one line, cut if it is too long. */
  note?: LineNote;
};

/** Its status for people: for programs, a killed run is a stopped one. */
export function statusWord({ status, failure }: Pick<TreeRow, 'status' | 'failure'>): ShownPhase {
  return status === 'stopped' && failure?.error === KILLED ? 'killed' : status;
}

export interface TreeStyle {
  /** Milliseconds since 1970. */
  now: number;
  /** Of a line at most; as wide as it comes if left out. */
  width?: number | undefined;
  /** Lines at most: the first to end is folded into a line that counts it. All if left out. */
  height?: number;
  /** Whether each line ends with the run's id, whole. */
  ids?: boolean;
  /** Colours a text as the status is coloured. */
  paint?: (text: string, status: ShownPhase) => string;
}

/** Draws runs as a tree, a line for each. Parents come before their children. */
export function treeText(rows: readonly TreeRow[], style: TreeStyle): string[] {
  const shown = rows.map((row) => ({ ...row, status: statusWord(row) }));
  const { visible, folded } = fold(shown, style.height ?? Infinity);
  const lines = drawn(visible);
  const { now, width, ids = false, paint = (text) => text } = style;
  const painted = (text: string, line: number) => {
    const status = lines[line]?.row.status;
    return status === undefined ? text : paint(text, status);
  };
  const nameWidth = width === undefined ? Infinity : Math.max(12, Math.floor(width * 0.4));
  const cells = (cell: (row: TreeRow) => string) => lines.map(({ row }) => cell(row));
  const text = inColumns(
    [
      { cells: cells(({ status }) => PHASES[status].symbol), paint: painted },
      { cells: lines.map(({ name }) => fitted(name, nameWidth)) },
      { cells: cells(({ status }) => PHASES[status].word), rank: 2, paint: painted },
      { cells: cells(({ usage }) => counted(usage.turns, 'turn')), align: 'right', rank: 5 },
      { cells: cells(tokens), rank: 4 },
      { cells: cells((row) => seconds(shownDuration(row, now))), align: 'right', rank: 1 },
      { cells: cells(cost), align: 'right', rank: 3 },
      { cells: ids ? cells(({ id }) => id) : [] },
    ],
    width,
    lines.map(({ row: { note = '' } }) =>
      typeof note === 'string' ? oneLine(note) : { tail: oneLine(note.tail) },
    ),
  );
  return folded === '' ? text : [...text, fitted(folded, width ?? Infinity)];
}

/**
 * Leaves out as many runs as the height requires: first those that ended first with nothing at work below them, then
 * the last of those at work.
 */
function fold(rows: readonly TreeRow[], height: number): { visible: TreeRow[]; folded: string } {
  if (rows.length <= height) return { visible: [...rows], folded: '' };
  const room = Math.max(1, height - 1);
  const working = withAncestors(rows);
  const foldable = rows
    .filter(({ id, parent }) => parent !== undefined && !working.has(id))
    .toReversed() // of two that ended at once, the child goes before its parent
    .toSorted((one, other) => (one.endedAt ?? '').localeCompare(other.endedAt ?? ''))
    .slice(0, rows.length - room);
  const left = new Set(foldable);
  const unfolded = rows.filter((row) => !left.has(row));
  const cut = unfolded.slice(room).filter(isAtWork).length;
  const ended = [...foldable, ...unfolded.slice(room).filter((row) => !isAtWork(row))];
  const parts = [
    ...(ended.length > 0 ? [`${count(ended.length)} ended: ${tally(ended)}`] : []),
    ...(cut > 0 ? [`${count(cut)} more at work`] : []),
  ];
  return { visible: unfolded.slice(0, room), folded: `+ ${parts.join('; ')}` };
}

function isAtWork({ endedAt, status }: TreeRow): boolean {
  return endedAt === undefined && status !== 'interrupted';
}

/** The runs at work, and those that they belong to. */
function withAncestors(rows: readonly TreeRow[]): Set<string> {
  const ids = new Set<string>();
  for (const row of rows.toReversed()) {
    if (!isAtWork(row) && !ids.has(row.id)) continue;
    ids.add(row.id);
    if (row.parent !== undefined) ids.add(row.parent.run);
  }
  return ids;
}

/** `22 succeeded, 2 failed`. */
function tally(rows: readonly TreeRow[]): string {
  const counts = new Map<string, number>();
  for (const { word } of rows.map(({ status }) => PHASES[status]))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([status, number]) => `${count(number)} ${status}`).join(', ');
}

/** Each run under the one that asked for it, with the lines that show it. */
function drawn(rows: readonly TreeRow[]): { name: string; row: TreeRow }[] {
  const known = new Set(rows.map(({ id }) => id));
  const below = new Map<string, TreeRow[]>();
  for (const row of rows) {
    const parent = row.parent !== undefined && known.has(row.parent.run) ? row.parent.run : '';
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [row]);
    else siblings.push(row);
  }
  const lines: { name: string; row: TreeRow }[] = [];
  const draw = (row: TreeRow, branch: string, lead: string) => {
    lines.push({ name: branch + oneLine(runName(row)), row });
    const children = below.get(row.id) ?? [];
    children.forEach((child, index) => {
      const isLast = index === children.length - 1;
      draw(child, lead + (isLast ? '└ ' : '├ '), lead + (isLast ? '  ' : '│ '));
    });
  };
  for (const top of below.get('') ?? []) draw(top, '', '');
  return lines;
}

function tokens({ usage }: TreeRow): string {
  return `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out`;
}

/** Where the price is known and is not nothing. */
function cost({ usage: { nanoUsd = 0 } }: TreeRow): string {
  return nanoUsd === 0 ? '' : inDollars(nanoUsd / 1e9);
}

import type { Run } from '../../runs/run.ts';
import { oneLine } from './printable.ts';

/** One line of a tree of runs: what both the live view and `cadre show` know of a run. */
export type TreeRow = Pick<Run, 'id' | 'agent' | 'usage' | 'startedAt'> & {
  status: string;
  parent?: { run: string };
  endedAt?: string;
};

/** Draws runs as a tree, one line each, in columns: agent, status, turns, tokens, time, cost. Parents come before children. */
export function treeText(rows: readonly TreeRow[], now: number): string[] {
  const known = new Set(rows.map((row) => row.id));
  const children = new Map<string, TreeRow[]>();
  for (const row of rows) {
    const parent = row.parent?.run ?? '';
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [row]);
    else siblings.push(row);
  }
  const lines: { name: string; row: TreeRow }[] = [];
  const draw = (row: TreeRow, lead: string, branch: string) => {
    lines.push({ name: lead + branch + oneLine(row.agent), row });
    const below = children.get(row.id) ?? [];
    const next = branch === '' ? lead : lead + (branch === '└ ' ? '  ' : '│ ');
    below.forEach((child, index) => draw(child, next, index === below.length - 1 ? '└ ' : '├ '));
  };
  for (const row of rows) if (row.parent === undefined || !known.has(row.parent.run)) draw(row, '', '');
  const width = longest(lines.map(({ name }) => name));
  return lines.map(({ name, row }) => `${name.padEnd(width)}  ${describe(row, now)}`);
}

function describe({ status, usage, startedAt, endedAt }: TreeRow, now: number): string {
  const ended = endedAt === undefined ? now : Date.parse(endedAt);
  // Nobody knows how long a run worked whose process died.
  const time = status === 'interrupted' ? '' : seconds(ended - Date.parse(startedAt));
  const turns = `${usage.turns} ${usage.turns === 1 ? 'turn' : 'turns'}`;
  const tokens = `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out`;
  return `${status.padEnd(11)}  ${turns.padStart(8)}  ${tokens.padEnd(20)}  ${time}${cost(usage)}`.trimEnd();
}

/** `$0.0123`, where the price is known and is not nothing. */
function cost({ nanoUsd = 0 }: TreeRow['usage']): string {
  return nanoUsd === 0 ? '' : `  $${(nanoUsd / 1e9).toFixed(4)}`;
}

/** The length of the longest text: of any number of them, where arguments of a call have a limit. */
export function longest(texts: readonly string[]): number {
  return texts.reduce((length, text) => Math.max(length, text.length), 0);
}

/** `1,234`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `2026-01-31 10:00:00Z`. */
export function moment(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')}Z`;
}

/** `1.2s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)}s`;
}

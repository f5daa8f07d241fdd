import { structuredPatch } from 'diff';
import type { Difference } from '../../../authoring/replay/difference.ts';
import { oneLine, printable } from './printable.ts';

/** Unchanged lines around each change. */
const CONTEXT = 3;

/** A difference for people: the difference and its place, and the lines. */
export function differenceText({ at, what, recorded, now }: Difference): string {
  const lines = changedLines(recorded, now);
  return [`the first difference is ${oneLine(what)}`, `  in ${pointText(at)}`, ...lines].join('\n');
}

/** The lines that differ between two texts, as `diff -u` shows them. */
export function changedLines(recorded: string, now: string): string[] {
  const patch = structuredPatch('recorded', 'now', ended(recorded), ended(now), '', '', { context: CONTEXT });
  return [
    '--- recorded',
    '+++ now',
    ...patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines.map(printable),
    ]),
  ];
}

/** `run reviewer-…, agent "digest" at t1c2, turn 3, call 1` */
function pointText({ run, path, agent, turn, call }: Difference['at']): string {
  return [
    `run ${run}`,
    `agent "${agent}"${path === '' ? '' : ` at ${path}`}`,
    turn === undefined ? 'before its first turn' : `turn ${turn}`,
    ...(call === undefined ? [] : [`call ${call}`]),
  ].join(', ');
}

/** A missing line end after the last line is not a difference of that line. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

import { structuredPatch } from 'diff';
import type { Difference } from '../../replay/difference.ts';
import { oneLine, printable } from './printable.ts';

/** Unchanged lines around each change. */
const CONTEXT = 3;

/** A difference for people: what differs and where, and the lines that do. */
export function differenceText({ at, what, recorded, now }: Difference): string {
  const patch = structuredPatch('recorded', 'now', ended(recorded), ended(now), '', '', { context: CONTEXT });
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  return [
    `the first difference is ${oneLine(what)}`,
    `  in ${placeText(at)}`,
    '--- recorded',
    '+++ now',
    ...lines.map(printable),
  ].join('\n');
}

/** `run reviewer-…, agent "digest" at t1c2, turn 3, call 1` */
export function placeText({ run, path, agent, turn, call }: Difference['at']): string {
  return [
    `run ${run}`,
    `agent "${agent}"${path === '' ? '' : ` at ${path}`}`,
    turn === undefined ? 'before its first turn' : `turn ${turn}`,
    ...(call === undefined ? [] : [`call ${call}`]),
  ].join(', ');
}

/** Whether the last line of a text has an end is no difference of that line. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

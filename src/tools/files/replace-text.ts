import { RefusedCall } from '../../core/tool-contracts/arguments.ts';

/** How many places are named to the model. */
const MAX_NAMED = 20;

export interface Change {
  from: string;
  to: string;
  /** Every occurrence; else there must be one and no other. */
  all: boolean;
}

/**
 * Replaces a string in a text. Models always write line feeds: where its lines end in CRLF, those of the change do too,
 * and the rest stays as it is.
 * @returns the new text, and the lines in which it was changed
 * @throws {RefusedCall} in words for the model, with line numbers
 */
export function replaceText(text: string, change: Change, path: string): { text: string; lines: number[] } {
  const returns = positionsOf(text, '\r\n', 2);
  const searched = returns.length === 0 ? text : text.replaceAll('\r\n', '\n');
  const plain = (part: string) => (returns.length === 0 ? part : part.replaceAll('\r\n', '\n'));
  const from = plain(change.from);
  const to = plain(change.to);
  if (from === to) throw new RefusedCall('arguments "old_string" and "new_string" are the same');

  const found = positionsOf(searched, from, change.all ? from.length : 1);
  const lines = linesOf(searched, found);
  if (found.length === 0) throw notFound(searched, from, path);
  if (found.length > 1 && !change.all) {
    throw new RefusedCall(
      `old_string occurs ${found.length} times in "${path}", in lines ${named(lines)}: ` +
        'add lines around it until it occurs once, or set replace_all',
    );
  }
  const lineFeeds = searched.split('\n').length - 1;
  const written = returns.length * 2 > lineFeeds ? to.replaceAll('\n', '\r\n') : to;
  const place = offsetsIn(returns);
  const parts = [];
  let end = 0;
  for (const at of found) {
    parts.push(text.slice(end, place(at)), written);
    end = place(at + from.length);
  }
  return { text: parts.join('') + text.slice(end), lines };
}

function positionsOf(text: string, part: string, step: number): number[] {
  const positions = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + step)) positions.push(at);
  return positions;
}

/** @param returns where the text has CRLF, in order; @returns where a place in the text without returns is in it */
function offsetsIn(returns: readonly number[]): (at: number) => number {
  // Asked for places in rising order.
  let before = 0;
  return (at) => {
    while (before < returns.length && (returns[before] ?? 0) - before < at) before++;
    return at + before;
  };
}

/** The number of the line that each position is in. */
function linesOf(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let next = text.indexOf('\n');
  return positions.map((position) => {
    while (next !== -1 && next < position) {
      line++;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  });
}

/** The nearest text: the same lines but for white space, else those that hold the first line. */
function notFound(text: string, from: string, path: string): RefusedCall {
  const lines = text.split('\n').map((line) => line.trim());
  const wanted = from
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const numbers = (matches: (line: string, index: number) => boolean) =>
    lines.flatMap((line, index) => (matches(line, index) ? [index + 1] : []));
  const [first = ''] = wanted;
  const alike = numbers((_, index) => wanted.every((line, after) => lines[index + after] === line));
  const missing = `old_string was not found in "${path}"`;
  if (alike.length > 0) return new RefusedCall(`${missing}; white space apart, line ${named(alike)} has it`);
  const begun = first === '' ? [] : numbers((line) => line.includes(first));
  if (begun.length === 0) return new RefusedCall(`${missing}: read the file again`);
  return new RefusedCall(`${missing}; line ${named(begun)} has its first line, but not what follows`);
}

function named(lines: readonly number[]): string {
  const shown = lines.slice(0, MAX_NAMED).join(', ');
  return lines.length > MAX_NAMED ? `${shown} and ${lines.length - MAX_NAMED} more` : shown;
}

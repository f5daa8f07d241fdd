import { shortened } from '../../shortened.ts';
import { linesOf } from './prose.ts';

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
/** A text that shows a diff between fences is none itself. */
const DIFF = new RegExp(HUNK.source, 'm');
const FENCE = /^(?:`{3,}|~{3,})/m;

/** More lines than a reader takes in at once are several changes. */
const MOST_LINES = 8;
const LONGEST_LINE = 200;

/**
 * The changes of a diff in git's unified format, in order: lines that were added or removed together, under the file
 * and the line of its new state where that is known. Empty for any other text.
 */
export function changesOf(text: string): string[] {
  if (!DIFF.test(text.split(FENCE, 1)[0] ?? '')) return [];
  const changes: string[] = [];
  let file = '';
  let line = 0;
  let first = 0;
  let change: string[] = [];
  const close = () => {
    if (/[\p{L}\p{N}]/u.test(change.join(''))) {
      changes.push([...(file === '' ? [] : [`${file}:${first}`]), ...change].join('\n'));
    }
    change = [];
  };
  for (const each of linesOf(text)) {
    const [, name] = /^\+\+\+ (?:b\/)?(\S+)/.exec(each) ?? [];
    const [, start] = HUNK.exec(each) ?? [];
    if (name !== undefined || start !== undefined || /^--- |^diff /.test(each)) {
      close();
      file = name ?? file;
      line = Number(start ?? 0);
    } else if (/^[+-]/.test(each) && line > 0) {
      if (change.length === 0) first = line;
      change.push(shortened(each, LONGEST_LINE));
      if (each.startsWith('+')) line += 1;
      if (change.length === MOST_LINES) close();
    } else {
      close();
      // Before the first hunk nothing is a change, be it written like one.
      if (line > 0) line += 1;
    }
  }
  close();
  const telling = changes.filter((each) => !each.split('\n').every((part) => HARDLY.test(part)));
  return telling.length > 0 ? telling : changes;
}

/** Places, imports and closing brackets: a change of these alone hardly matters. */
const HARDLY = /^(?:[^+-]|[+-]\s*(?:$|import\b|from\b|#include\b|using\b|\W+$))/;

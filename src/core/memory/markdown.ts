import { ConfigError } from '../../errors.ts';
import { MAX_ENTRY_BYTES, type MemoryEntry } from './entry.ts';

/**
 * Memory as Markdown: the form that a model reads, and that is exported and imported. A line of a result that looks
 * like the heading of an entry gets a backslash in front, so that any result comes back unchanged.
 */

/** Of an entry that answers no task: its agent saved it. */
const NOTE = '**Note:**';
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
const HEADING = new RegExp(`^## (${TIME})$`);
const LIKE_A_HEADING = new RegExp(String.raw`(?<=^|\n)(?=\\*## ${TIME}(?:\n|$))`, 'g');
const ESCAPED = new RegExp(String.raw`(?<=^|\n)\\(?=\\*## ${TIME}(?:\n|$))`, 'g');

export function toMarkdown(entries: readonly MemoryEntry[]): string {
  return entries
    .map(
      ({ at, task, result }) =>
        `## ${at}\n${task === '' ? NOTE : `**Task:** ${task}\n**Result:**`} ${result.replaceAll(LIKE_A_HEADING, '\\')}\n\n`,
    )
    .join('');
}

/**
 * The entries of an exported memory, in the order of the text.
 * @throws {ConfigError} that names the line at which the text is no such thing
 */
export function fromMarkdown(text: string): MemoryEntry[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const headings = lines.flatMap((line, index) => (HEADING.test(line) ? [index] : []));
  const before = lines.slice(0, headings[0]).findIndex((line) => line.trim() !== '');
  if (before !== -1) throw unexpected(lines, before, 'a heading such as "## 2026-01-31T10:00:00Z"');
  return headings.map((start, index) => toEntry(lines, start, headings[index + 1]));
}

/**
 * @param end where the next entry begins; undefined for the last one, after which there may be less than a blank line
 */
function toEntry(lines: readonly string[], start: number, end: number | undefined): MemoryEntry {
  const at = HEADING.exec(lines[start] ?? '')?.[1] ?? '';
  if (Number.isNaN(Date.parse(at)))
    throw new ConfigError(`line ${start + 1}: "${at}" is not a date and time`);
  const isNote = lines[start + 1]?.startsWith(NOTE) === true;
  const task = isNote ? '' : labelled('Task', lines, start + 1);
  const first = start + (isNote ? 1 : 2);
  const rest = [labelled(isNote ? 'Note' : 'Result', lines, first), ...lines.slice(first + 1, end)].join(
    '\n',
  );
  const result = rest.replace(end === undefined ? /\n{1,2}$/ : /\n$/, '').replaceAll(ESCAPED, '');
  const bytes = Buffer.byteLength(task) + Buffer.byteLength(result);
  if (bytes > MAX_ENTRY_BYTES) {
    throw new ConfigError(
      `line ${start + 1}: the entry has ${bytes} bytes, and the limit is ${MAX_ENTRY_BYTES}; shorten it`,
    );
  }
  return { at, task, result };
}

function labelled(label: string, lines: readonly string[], index: number): string {
  const text = new RegExp(String.raw`^\*\*${label}:\*\*(?: (.*))?$`, 's').exec(lines[index] ?? '');
  if (text === null) throw unexpected(lines, index, `"**${label}:** …"`);
  return text[1] ?? '';
}

function unexpected(lines: readonly string[], index: number, expected: string): ConfigError {
  const line = lines[index];
  const found = line === undefined ? 'the end of the text' : JSON.stringify(line.slice(0, 80).toWellFormed());
  return new ConfigError(`line ${index + 1}: expected ${expected}, found ${found}`);
}

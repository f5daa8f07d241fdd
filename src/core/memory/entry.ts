/** An agent's memory of one run. All of it is well-formed Unicode, so that it survives a file in UTF-8. */
export interface MemoryEntry {
  /** RFC 3339, UTC, to the second: `2026-01-31T10:00:00Z`. */
  at: string;
  /** The user message on one line; "" in an entry that an agent saved by itself. */
  task: string;
  /** The answer or its beginning, or what was saved. */
  result: string;
}

/** An entry as it is kept. */
export interface KeptEntry extends MemoryEntry {
  /** Of this entry alone within its memory. */
  id: string;
}

/** The longest text that an agent saves. */
export const MAX_SAVED_CHARACTERS = 4_000;

const RESULT_BYTES = 1000;

/** An item of the table holds 350,000 bytes as JSON, where one byte of text may become six. */
const TASK_BYTES = 40_000;
/** Of the task and the result together. */
export const MAX_ENTRY_BYTES = 50_000;

/** The entry of a text that an agent saves, which answers no task. @param at ISO 8601, UTC */
export function toSaved(at: string, text: string): MemoryEntry {
  return { at: toSecond(at), task: '', result: text.toWellFormed() };
}

/** All that an entry says. */
export function textOf({ task, result }: MemoryEntry): string {
  return task === '' ? result : `${task}\n${result}`;
}

/**
 * The entry of a run that had its answer.
 * @param at ISO 8601, UTC
 */
export function toEntry(at: string, message: string, answer: string): MemoryEntry {
  return {
    at: toSecond(at),
    task: cut(message.replaceAll(/\r\n?|\n/g, ' '), TASK_BYTES),
    result: cut(answer, RESULT_BYTES),
  };
}

function toSecond(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** The text, or as many whole characters of it as fit into this many bytes of UTF-8, and "...". */
function cut(text: string, maxBytes: number): string {
  const wellFormed = text.toWellFormed();
  const bytes = Buffer.from(wellFormed);
  if (bytes.length <= maxBytes) return wellFormed;
  let end = maxBytes;
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return `${bytes.toString('utf8', 0, end)}...`;
}

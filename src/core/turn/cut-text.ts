import type { ToolResult } from '../records/message.ts';

/** The share of the shown text that is its beginning, where most texts say what they are about. */
const HEAD = 0.75;

/**
 * The beginning and the end of a text, and between them how much is left out.
 * @param characters of the text that are shown
 */
export function cutMiddle(
  text: string,
  characters: number,
  { whole }: Pick<ToolResult, 'whole'> = {},
): string {
  const head = text.slice(0, Math.floor(characters * HEAD)).toWellFormed();
  const tail = text.slice(text.length - Math.floor(characters * (1 - HEAD))).toWellFormed();
  const left = text.length - head.length - tail.length;
  return `${head}\n\n[${left} of ${text.length} characters left out${placeOf(whole)}]\n\n${tail}`;
}

/** The text that replaces a result that is no longer sent. */
export function leftOut({ text, whole }: Pick<ToolResult, 'text' | 'whole'>): string {
  return `[result left out: ${text.length} characters${placeOf(whole)}]`;
}

function placeOf(whole: string | undefined): string {
  return whole === undefined ? '' : `; the whole result is in ${whole}`;
}

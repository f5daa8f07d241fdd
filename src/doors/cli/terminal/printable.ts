/**
 * Text of models and agents for a terminal: line ends and tabs stay, every other control character (C0, DEL, C1) is
 * replaced, so that no text can set a title or the clipboard, or overwrite other text.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\P{Cc}\n\t]/gu, '\u{fffd}');
}

/** The same in one line, where a further one could pass for a message of ours. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s*[\n\r\t]\s*/g, ' '));
}

/** A value as JSON in one line, for a terminal too: JSON itself leaves DEL and C1 as they are. */
export function jsonLine(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/\p{Cc}/gu, escaped);
}

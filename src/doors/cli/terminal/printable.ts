import { inEscapes } from '../../../hidden-characters.ts';
import { replaceHidden } from '../../../shown-characters.ts';

/**
 * Text of models and agents for a terminal: line ends and tabs stay, and every hidden character is replaced, so that no
 * text can set a title or the clipboard, overwrite other text, or read differently from what it says.
 */
export function printable(text: string): string {
  return replaceHidden(text.replaceAll('\r\n', '\n'), () => '\u{fffd}');
}

/** The same in one line, where a further one could pass for a message of ours. */
export function oneLine(text: string): string {
  // Each run of blanks is looked at once: to look for what ends a line behind each of them takes the square of the time.
  return printable(text.replace(/\s+/g, (blanks) => (/[\n\r\t\u2028\u2029]/.test(blanks) ? ' ' : blanks)));
}

/**
 * A value as JSON in one line, for a terminal too: JSON itself leaves most of the hidden characters as they are.
 * @param indent blanks before each level, in lines of their own
 */
export function jsonLine(value: unknown, indent?: number): string {
  return replaceHidden(JSON.stringify(value, undefined, indent), inEscapes);
}

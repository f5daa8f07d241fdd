import { replaceHidden } from '../../../hidden-characters.ts';

/** The codes that colour the output of commands. */
const COLOURS = /\u{1b}\[[\d;]*m/gu;

/**
 * A text with everything in it made visible. Nothing is approved by a person that reads differently from what it does,
 * or that has instructions between its letters.
 */
export function visible(text: string): string {
  return replaceHidden(text.replaceAll('\r\n', '\n').replace(COLOURS, ''), (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20
      ? String.fromCodePoint(0x2400 + code)
      : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

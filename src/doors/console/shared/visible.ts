/** The codes that colour the output of commands. */
const COLOURS = /\u{1b}\[[\d;]*m/gu;
/**
 * Control characters but line ends and tabs, characters that turn the direction of writing round, and those without
 * width.
 */
const HIDDEN = /[^\P{Cc}\n\t\r]|[\u200b\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/**
 * A text with everything in it made visible. Nothing is approved by a person that reads differently from what it does,
 * or that has instructions between its letters.
 */
export function visible(text: string): string {
  return text.replace(COLOURS, '').replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20
      ? String.fromCodePoint(0x2400 + code)
      : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

import { HIDDEN } from './hidden-characters.ts';

// Hidden characters for people: named or replaced, but where they are part of what is seen.

/** Where words are spelt with joiners: one after a letter says how it is joined to the next. */
const JOINED_SCRIPTS =
  'Arabic Syriac Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar';

/** Characters of the list that are part of a visible one: an emoji is drawn of several, and letters are joined. */
const VISIBLE = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[\d#*])\ufe0f(?=\u20e3)`,
  `(?<=[${JOINED_SCRIPTS.replace(/(\w+) ?/g, '\\p{Script=$1}')}])[\\u200c\\u200d]`,
];

const VISIBLE_OR_HIDDEN = new RegExp(`(${VISIBLE.join('|')})|${HIDDEN}`, 'gu');

/** A text with each hidden character in it replaced. */
export function replaceHidden(text: string, by: (character: string) => string): string {
  if (/^[\n\t -~]*$/.test(text)) return text;
  return text.replace(VISIBLE_OR_HIDDEN, (character, visible?: string) => visible ?? by(character));
}

/** A text with each hidden character in it named: no person approves one that reads differently from what it does. */
export function nameHidden(text: string): string {
  return replaceHidden(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20
      ? String.fromCodePoint(0x2400 + code)
      : `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/**
 * The one list of characters that no door passes on as they are: they act on a screen instead of standing on it, or
 * stand there unseen, so that a text reads differently from what it says.
 *
 * - controls (C0, DEL, C1) but line ends and tabs: with them begin the sequences that move a cursor, set a title or the
 *   clipboard, or make a link;
 * - those that turn the direction of writing round (Bidi_Control), and those that are drawn as nothing
 *   (Default_Ignorable_Code_Point: zero-width spaces, joiners, variation selectors, tags, fillers);
 * - line ends that are none to a terminal (U+2028, U+2029), marks of annotations, and halves of surrogate pairs.
 */
const HIDDEN = String.raw`[^\P{Cc}\n\t]|[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb]`;

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

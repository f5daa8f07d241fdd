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
export const HIDDEN = String.raw`[^\P{Cc}\n\t]|[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb]`;

const ANY_HIDDEN = new RegExp(HIDDEN, 'gu');

/** JSON with each hidden character in it escaped, for logs: it says the same. */
export function escapeHidden(json: string): string {
  return json.replace(ANY_HIDDEN, inEscapes);
}

/** A character as JSON escapes it. */
export function inEscapes(character: string): string {
  return Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');
}

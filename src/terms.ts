// How texts are parted into words and compared, wherever words are looked for.

/** A text as it is compared: in small letters, and each letter written in one way, however it was typed. */
export function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The words of a text, each once. Those that a person looks for may each be a part of a longer one. */
export function termsOf(text: string): string[] {
  return [...new Set(comparable(text).match(WORD))];
}

/** How many of the terms are in a text that is `comparable`. */
export function countFound(terms: readonly string[], text: string): number {
  return terms.filter((term) => text.includes(term)).length;
}

/** Whether all words that a person has typed occur in a text. */
export function hasWords(text: string, typed: string): boolean {
  const terms = termsOf(typed);
  return countFound(terms, comparable(text)) === terms.length;
}

/**
 * Up to 40 characters that are no controls, blanks or marks of ASCII, Latin-1, and general punctuation: half as long to
 * look for as letters and digits by their names. Longer ones are no words, but bytes, or a language without blanks.
 * None of them means anything in a regular expression.
 */
const WORD = /[^\0-/:-@[-^`{-\u{bf}\u2000-\u206f\u3000-\u303f\ufeff]{1,40}/gu;

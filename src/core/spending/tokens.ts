import { AFTER_BLANK, AFTER_MARK, CAPITALS, LOWER_CASE, PUNCTUATION, WORDS } from './fragments.ts';
import { memoize } from '../../memoize.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * The most tokens that a text can have. A tokenizer cuts a text into words, numbers, blanks and punctuation, and
 * each of those into tokens. Here a word is cut into fragments that are known to be single tokens, the longest first; a
 * letter that no fragment begins with is a token of its own. Tokenizers know more fragments and need fewer of them, so
 * that the estimate is a quarter to two fifths too high for prose and code, and still not too low for random letters.
 *
 * test/budget/tokens.test.ts checks it against real tokenizers with texts of all kinds.
 */
export function tokensAtMost(text: string, { perFragment, digitsPerToken, mostBytes }: Tokenizer): number {
  const bytes = Buffer.byteLength(text);
  let count = 0;
  for (const [part, marked, word, digits, blanks] of text.matchAll(PARTS)) {
    const letters = marked ?? word;
    if (letters !== undefined && letters.length > LONGEST_WORD) count += letters.length;
    else if (marked !== undefined) count += tokensOfMarked(marked);
    else if (word !== undefined) count += tokensOfUnmarked(part);
    else if (digits !== undefined) count += Math.ceil(digits.length / digitsPerToken);
    else if (blanks !== undefined) count += Math.ceil(blanks.length / BLANKS_PER_TOKEN);
    else count += Buffer.byteLength(part);
  }
  return Math.min(bytes, Math.ceil(Math.max(count * perFragment, bytes / mostBytes)));
}

/**
 * A word with the one mark before it; a word, or punctuation up to the line's end, with the blank before it, which is
 * part of its first token; digits; other blanks, up to such a one. All else is bounded by its bytes: line ends, and
 * characters outside ASCII.
 */
const PARTS =
  /(?<![ !-/:-@[-`{-~])([!-/:-@[-`{-~][a-z]+)| ?([A-Z]?[a-z]+|[A-Z]+(?![a-z])|[!-/:-@[-`{-~]+\n{0,2})|([0-9]+)|( +(?= )| )|[^\0-\x7f]+|[^]/g;

/** Known tokenizers take runs of up to 80. */
const BLANKS_PER_TOKEN = 16;

/** Where fragments meet, a tokenizer may find others that overlap them, and then needs more tokens. */
const LETTERS_PER_TOKEN = 4;

/** Longer words do not occur in real texts; they are not worth the search. */
const LONGEST_WORD = 200;

/** A mark is a token of its own, or a part of the word after it. */
const tokensOfMarked = memoize((marked) => {
  whole ??= toWhole();
  return whole.afterMark.has(marked) ? 1 : 1 + tokensOfWord(marked.slice(1));
});

/** @param part a word, perhaps with the blank before it */
const tokensOfUnmarked = memoize((part) => {
  if (!part.startsWith(' ')) return tokensOfWord(part);
  whole ??= toWhole();
  const word = part.slice(1);
  return whole.afterBlank.has(word) ? 1 : tokensOfWord(word);
});

/** Texts that are one token only as a whole, with the text before them. */
let whole: { afterBlank: ReadonlySet<string>; afterMark: ReadonlySet<string> } | undefined;

function toWhole() {
  return {
    afterBlank: new Set(readFragments(AFTER_BLANK)),
    afterMark: new Set(readFragments(AFTER_MARK)),
  };
}

function tokensOfWord(word: string): number {
  const { known, longest } = (fragments ??= toFragments());
  let count = 0;
  for (let start = 0; start < word.length; count++) {
    let end = Math.min(word.length, start + longest);
    while (end > start + 1 && !known.has(word.slice(start, end))) end--;
    start = end;
  }
  return count === 1 ? 1 : Math.max(count, word.length / LETTERS_PER_TOKEN);
}

/** Read from the lists when first needed. */
let fragments: { known: ReadonlySet<string>; longest: number } | undefined;

function toFragments() {
  const words = readFragments(WORDS);
  const capitalised = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const all = [
    words,
    capitalised,
    readFragments(LOWER_CASE),
    readFragments(CAPITALS),
    readFragments(PUNCTUATION),
  ].flat();
  return { known: new Set(all), longest: Math.max(...all.map(({ length }) => length)) };
}

/** Fragments as src/core/spending/fragments.ts lists them. */
export function readFragments(list: string): string[] {
  let before = '';
  return Array.from(list.matchAll(/(\d)(\D+)/g), ([, common = '', rest = '']) => {
    before = before.slice(0, Number(common)) + rest;
    return before;
  });
}

/**
 * The terms by which sentences are compared: words without their endings, and pairs of characters where no spaces are
 * written.
 */

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Each term once. */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (UNSPACED.test(word)) for (const pair of pairs(word)) terms.add(pair);
    else if (word.length > 1 && !STOP_WORDS.has(word)) terms.add(stem(word));
  }
  return terms;
}

function pairs(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

/** Takes the commonest English endings off, so that `fails`, `failed` and `failing` are one term. */
function stem(word: string): string {
  if (word.length < 5) return word.replace(/(?<=[^s])s$/, '');
  return word.replace(/(?:ations?|ings?|ments?|ness|edly|ed|ies|es|ly|y|e|s)$/, '');
}

/** Words that say nothing of a subject: the commonest of English, and those of every instruction to an agent. */
const STOP_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing don down during each few for from further had has have having he her here hers him his how
  i if in into is it its itself just let me more most must my no nor not now of off on once one only or other our out
  over own same she should so some such than that the their them then there these they this those through to too under
  until up us use very via was we were what when where which while who whom why will with would you your yours
  agent agents answer answers context described everything execute find given instructions list matter matters name please prompt quote read reply
  report return say sentence sentences subject task tell text texts thing things time want word words write`.split(
    /\s+/,
  ),
);

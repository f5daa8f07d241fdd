import { changesOf } from './changes.ts';
import { linesOf, proseBlocks, withoutLinks } from './prose.ts';
import { hasWord, pieces, saysSomething, sentencesOf, type Sentence } from './sentences.ts';

/**
 * The passages that an answer can be made of, in the order of the text: of prose, sentences that can be understood
 * alone, each with those that it needs; of a diff, its changes; and of any other text, its lines.
 */
export function passagesOf(text: string): string[] {
  const changes = changesOf(text);
  if (changes.length > 0) return changes;
  const blocks = proseBlocks(text).map(sentencesOf);
  const passages = [...new Set(blocks.flatMap(toPassages))];
  // Told by words of English: a text in another language keeps all of them.
  const saying = passages.filter(saysSomething);
  if (saying.length >= ENOUGH) return saying;
  if (passages.length > 0) return passages;
  const sentences = blocks.flat().map(({ text: sentence }) => sentence);
  return (sentences.length > 0 ? sentences : linesOf(withoutLinks(text))).flatMap(pieces).filter(hasWord);
}

/** How much there is to pick from: the line between texts and questions. */
export function sentenceCount(text: string): number {
  const changes = changesOf(text).length;
  return changes > 0 ? changes : proseBlocks(text).flatMap(sentencesOf).length;
}

/** An answer needs no more than this to be one. */
const ENOUGH = 3;

/** More of them are a paragraph to read, not a point. */
const MOST_SENTENCES = 3;

/**
 * The sentences of one paragraph with those that they lean on. A sentence that leans on a missing one is left out, and
 * so is one that is not whole or only points elsewhere.
 */
function toPassages(sentences: readonly Sentence[]): string[] {
  const passages: Sentence[][] = [];
  let current: Sentence[] | undefined;
  for (const sentence of sentences) {
    const isNeeded = sentence.leansBack || current?.at(-1)?.leansForward === true;
    if (!sentence.isWhole) {
      current = undefined;
    } else if (!isNeeded) {
      current = [sentence];
      passages.push(current);
    } else if (current !== undefined && current.length < MOST_SENTENCES) {
      current.push(sentence);
    } else {
      current = undefined;
    }
  }
  return passages
    .filter((passage) => !passage.every(({ pointsElsewhere }) => pointsElsewhere))
    .map((passage) => passage.map(({ text }) => text).join(' '));
}

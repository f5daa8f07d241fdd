import { resultsIn } from './message.ts';
import type { Opened } from './opened.ts';
import type { Run } from './run.ts';
import { comparable, termsOf } from '../../terms.ts';
import type { Turn } from './turn.ts';

/** A text of a run that it can be found by, and the turn that it is from; absent: none. */
export interface RunText {
  text: string;
  turn?: number;
}

/** The records that the texts of a run are in. */
export interface RunTexts {
  run: Run;
  opened?: Opened | undefined;
  turns: readonly Turn[];
}

/** The texts of a run, those first by which it is most likely looked for. */
export function* textsOf({ run, opened, turns }: RunTexts): Generator<RunText> {
  yield { text: opened?.message ?? run.task };
  for (const [key, value] of Object.entries(run.tags ?? {})) yield { text: `${key}=${value}` };
  for (const text of [run.failure?.message, run.exceeded, run.passedOver?.reason]) if (text) yield { text };
  for (const { answer, number } of turns.toReversed()) {
    if (answer.text !== '') yield { text: answer.text, turn: number };
  }
  for (const { answer, received, number } of turns) {
    for (const { name, arguments: given } of answer.calls) {
      yield { text: `${name} ${JSON.stringify(given)}`, turn: number };
    }
    // The turn that reads a result comes after the one that asked for it.
    for (const { text } of resultsIn(received)) yield { text, turn: number - 1 };
  }
}

/** How many characters of a conversation, and of each of its texts, are read. */
const MOST_LOOKED_AT = 32 * 1024;
const MOST_OF_TEXT = 8 * 1024;

/** How many characters are kept of a short conversation's texts, and of a longer one's words: about 1,200 words. */
const MOST_WHOLE = 4_000;
const MOST_KEPT = 8_000;

/** Texts in small letters, to look for words in. */
export interface Words {
  words: string;
  /** Whether they are a list of words, each once; absent: they are whole texts. */
  isList?: true;
}

/** What a search for words reads of a run: its texts if they are short, else a list of their words. */
export function wordsIn(texts: Iterable<RunText>): Words {
  const parts: string[] = [];
  let looks = MOST_LOOKED_AT;
  for (const { text } of texts) {
    const part = text.slice(0, Math.min(looks, MOST_OF_TEXT));
    parts.push(part);
    looks -= part.length;
    if (looks <= 0) break;
  }
  const whole = comparable(parts.join('\n'));
  if (whole.length <= MOST_WHOLE) return { words: whole };
  const words = new Set<string>();
  let room = MOST_KEPT;
  for (const word of termsOf(whole)) {
    room -= word.length + 1;
    if (room < 0) break;
    words.add(word);
  }
  return { words: [...words].join(' '), isList: true };
}

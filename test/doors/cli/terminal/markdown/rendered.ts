import { stripVTControlCharacters } from 'node:util';
import {
  openRendered,
  type ShownAnswer,
} from '../../../../../src/doors/cli/terminal/markdown/rendered-answer.ts';

/** What an answer shows of a text that comes in these pieces. */
export const shownBy = (answer: ShownAnswer, pieces: readonly string[]) =>
  pieces.map((piece) => answer.add(piece)).join('') + answer.end();

export const rendered = (text: string, label = '', width = 40) =>
  shownBy(
    openRendered(label, () => width),
    [text],
  );

/** The same without its styles. */
export const letters = (text: string, label?: string, width?: number) =>
  stripVTControlCharacters(rendered(text, label, width));

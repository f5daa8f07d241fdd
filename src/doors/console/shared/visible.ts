import { nameHidden } from '../../../shown-characters.ts';

/** The codes that colour the output of commands. */
const COLOURS = /\u{1b}\[[\d;]*m/gu;

/**
 * A text with everything in it made visible. Nothing is approved by a person that reads differently from what it does,
 * or that has instructions between its letters.
 */
export function visible(text: string): string {
  return nameHidden(text.replaceAll('\r\n', '\n').replace(COLOURS, ''));
}

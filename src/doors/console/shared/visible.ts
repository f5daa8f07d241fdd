import { nameHidden } from '../../../shown-characters.ts';

/** The codes that colour the output of commands. */
const COLOURS = /\u{1b}\[[\d;]*m/gu;

/**
 * A text with everything in it made visible, so that a person approves nothing that reads differently from what it
 * does, or hides instructions between its letters.
 */
export function visible(text: string): string {
  return nameHidden(text.replaceAll('\r\n', '\n').replace(COLOURS, ''));
}

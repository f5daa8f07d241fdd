import type { RunEvent } from '../../../core/events/event.ts';

/**
 * An agent's texts from its first turn to its last, as it writes them: the text of each turn that has any is a
 * paragraph of its own. The text of an attempt that broke off cannot be taken back; the next one begins a new
 * paragraph.
 * @param run whose text is wanted, and not that of runs below it
 * @param write takes the text, piece by piece
 */
export function createAnswerText(run: string, write: (text: string) => void): (event: RunEvent) => void {
  let hasText = false;
  let isWriting = false;
  const add = (text: string) => {
    write(hasText && !isWriting ? `\n\n${text}` : text);
    hasText = true;
    isWriting = true;
  };
  return (event) => {
    if (event.run !== run) return;
    if (event.type === 'message_delta' && event.kind === 'text') add(event.text);
    // Not every model writes in pieces.
    if (event.type === 'turn_finished' && !isWriting && event.text !== '') add(event.text);
    if (event.type === 'turn_finished' || event.type === 'turn_waiting') isWriting = false;
  };
}

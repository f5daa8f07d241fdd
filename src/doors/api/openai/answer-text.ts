import type { RunEvent } from '../../../core/events/event.ts';

/**
 * An agent's texts from its first turn to its last, as it writes them: the text of each turn that has any is a
 * paragraph of its own. The text of an attempt that broke off cannot be taken back; the next one begins a new
 * paragraph. While agents that it has started are at work beside it, its answers are answers in between, and are left
 * out unless none follows.
 * @param run whose text is wanted, and not that of runs below it
 * @param write takes the text, piece by piece
 */
export function createAnswerText(run: string, write: (text: string) => void): (event: RunEvent) => void {
  const isAnyAtWork = createBesideWatch();
  let hasText = false;
  let isWriting = false;
  /** Whether the turn that is being written began as one in between. */
  let isLeftOut = false;
  /** The text of the newest turn, where it was left out. */
  let held = '';
  const add = (text: string) => {
    write(hasText && !isWriting ? `\n\n${text}` : text);
    hasText = true;
    isWriting = true;
    held = '';
  };
  return (event) => {
    const isInBetween = isAnyAtWork(event);
    if (event.run !== run) return;
    if (event.type === 'message_delta' && event.kind === 'text') {
      isLeftOut ||= isInBetween && !isWriting;
      if (!isLeftOut) add(event.text);
    }
    // Not every model writes in pieces.
    if (event.type === 'turn_finished' && !isWriting && event.text !== '') {
      if (isInBetween) held = event.text;
      else add(event.text);
    }
    if (event.type === 'turn_finished' || event.type === 'turn_waiting') isWriting = isLeftOut = false;
    if (event.type === 'run_closed' && held !== '') add(held);
  };
}

/** Takes each event of a tree, and says whether any agent works beside the one that started it. */
function createBesideWatch(): (event: RunEvent) => boolean {
  const atWork = new Set<string>();
  const keyOf = (run: string, turn: number, call: number) => [run, turn, call].join();
  return (event) => {
    if ((event.type === 'call_started' || event.type === 'call_finished') && event.kind === 'start') {
      const started = keyOf(event.run, event.turn, event.call);
      if (event.type === 'call_started') atWork.add(started);
      else if (event.isError) atWork.delete(started);
    }
    // Only agents that go on beside their callers have names of their own.
    if (event.name !== undefined && event.parent !== undefined) {
      const { parent } = event;
      const own = keyOf(parent.run, parent.turn, parent.call);
      if (event.type === 'run_opened') atWork.add(own);
      if (event.type === 'run_closed') atWork.delete(own);
    }
    return atWork.size > 0;
  };
}

import type { CallReference, Opened } from '../runs/run.ts';

/**
 * Opens a conversation as the copy of another: exactly what that one's turn was sent, and then its own first message.
 * Tools and system prompt are the same to the byte, so that a provider's cache serves both.
 * @param id of the copy
 * @param at the call that starts it
 */
export function forkOf(from: Opened, id: string, name: string, at: CallReference, prompt: string): Opened {
  // What belongs to one run alone; the input is part of the conversation.
  const { memory: _memory, patience: _patience, inputAt: _inputAt, inputOf: _inputOf, ...same } = from;
  return {
    ...same,
    message: `[You are agent ${id} "${name}", forked by ${at.run}. The task above is your parent's; yours is:]\n\n${prompt}`,
    history: [...(from.history ?? []), { run: at.run, to: at.turn }],
    forks: (from.forks ?? 0) + 1,
    timeout: 0,
  };
}

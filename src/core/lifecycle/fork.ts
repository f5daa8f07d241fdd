import type { Opened, Segment } from '../records/opened.ts';

/** A fork may fork, and so may its forks; theirs may not. */
export const MAX_FORKS = 3;

/**
 * Opens a conversation as the copy of another: exactly what that one was sent, followed by its own first message. Tools
 * and system prompt are the same to the byte, so that a provider's cache serves both.
 * @param id of the copy
 * @param newest the last part of the inherited conversation
 * @param prompt absent: its task is still to come
 */
export function forkOf(from: Opened, id: string, name: string, newest: Segment, prompt?: string): Opened {
  // The parts that belong to one run alone; its messages are part of the conversation.
  const {
    memory: _memory,
    patience: _patience,
    earlier: _earlier,
    inputAt: _inputAt,
    inputOf: _inputOf,
    attachments: _attachments,
    ...same
  } = from;
  const others =
    from.delegation.background === undefined
      ? ''
      : ` Agents that were started before you report to ${newest.run}, not to you.`;
  return {
    ...same,
    message: [
      `[You are agent ${id} "${name}", forked by ${newest.run}.${others} The task above is your parent's; yours is:]`,
      ...(prompt === undefined ? [] : [prompt]),
    ].join('\n\n'),
    history: [...(from.history ?? []), newest],
    forks: (from.forks ?? 0) + 1,
  };
}

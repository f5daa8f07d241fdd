import { ModelError } from '../../errors.ts';
import { bytesOf, BYTES_PER_TOKEN } from '../records/message-texts.ts';
import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import { fixedBytes, MOST_BYTES_PER_TOKEN, toolBytes, type Fixed } from './window.ts';

/**
 * Whether even the beginning of a conversation, which is always sent, is longer than the window.
 * @param own the run's first message
 */
export function isHopeless(opened: Fixed, own: readonly Message[], window: number): boolean {
  return (fixedBytes(opened) + bytesOf(own)) / MOST_BYTES_PER_TOKEN > window;
}

/**
 * The error for a conversation that does not fit, in any shortened form.
 * @param own the run's first message
 * @param said the API's words; absent: it was not asked
 */
export function tooLong(opened: Opened, own: readonly Message[], window: number, said?: string): ModelError {
  const { system, tools, model } = opened;
  const parts = {
    'system prompt': Buffer.byteLength(system),
    tools: toolBytes(tools),
    'first message': bytesOf(own),
  };
  const sizes = Object.entries(parts).filter(([, bytes]) => bytes > 0);
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
  const tokens = Math.round(bytes / BYTES_PER_TOKEN);
  return new ModelError(
    'bad_request',
    `the prompt does not fit the window of ${model}${said === undefined ? `, ${window} tokens` : ''}: it has about ` +
      `${tokens} tokens (${sizes.map(([part, size]) => `${part} ${kilobytes(size)} KB`).join(', ')}); give the agent ` +
      `fewer files or less input, or a model with a larger window` +
      (said === undefined ? ', or set [context] window if it is larger' : ` (${said})`),
  );
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

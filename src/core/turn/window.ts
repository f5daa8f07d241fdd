import { attachedTokens } from '../attachments/attached-tokens.ts';
import { withOutputSchema } from '../agent-schema/output-prompt.ts';
import { windowOf } from '../spending/windows.ts';
import type { Compaction } from '../records/compaction.ts';
import { bytesOf, BYTES_PER_TOKEN, textBytesOf } from '../records/message-texts.ts';
import type { Showing } from '../model/model.ts';
import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import type { Turn } from '../records/turn.ts';

/** How much of a window a prompt may fill. The rest is for the answer, and for estimates that are too low. */
const FILL = 0.8;

/** An upper bound: neither code nor prose in any language has more. */
export const MOST_BYTES_PER_TOKEN = 6;

/** Whether anything may be left out of a conversation. */
export function mayCompact({ context }: Opened): boolean {
  return context?.compact ?? true;
}

/**
 * The window of a run's model in tokens: the value of its agent's file, or the known one of the model; and never more
 * than its API has refused. Infinity where nothing is known, until it refuses something.
 */
export function windowFor(
  { context, model }: Opened,
  before: Compaction | undefined,
  refused = Infinity,
): number {
  const known = context?.window ?? windowOf(model) ?? Infinity;
  return Math.min(known, before?.window ?? Infinity, refused);
}

/** The most tokens of a prompt that leaves room for an answer of `maxTokens`. */
export function promptLimit(window: number, maxTokens: number): number {
  return Math.min(FILL * window, Math.max(window - maxTokens, window / 2));
}

/**
 * The length of the next prompt in tokens: the provider's count for the last one and its answer, and an estimate of the
 * new part. Some servers count only what they have not cached, so that it is never taken to be less than its texts come
 * to at least.
 */
export function promptTokens(
  opened: Fixed,
  messages: readonly Message[],
  received: readonly Message[],
  last: Turn | undefined,
  showing: Showing | undefined,
): number {
  const estimated = (added: readonly Message[]) =>
    bytesOf(added) / BYTES_PER_TOKEN + attachedTokens(added, showing);
  if (last === undefined) return fixedBytes(opened) / BYTES_PER_TOKEN + estimated(messages);
  const { inputTokens, outputTokens } = last.answer.usage;
  const counted = inputTokens + outputTokens + estimated(received);
  return Math.max(counted, textBytesOf(messages) / MOST_BYTES_PER_TOKEN);
}

/** The part of every prompt that is no message. */
export type Fixed = Pick<Opened, 'system' | 'tools' | 'output'>;

export function fixedBytes({ system, tools, output }: Fixed): number {
  return Buffer.byteLength(withOutputSchema(system, output?.schema)) + toolBytes(tools);
}

export function toolBytes(tools: Opened['tools']): number {
  return tools.length > 0 ? Buffer.byteLength(JSON.stringify(tools)) : 0;
}

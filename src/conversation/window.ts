import { ModelError } from '../errors.ts';
import { windowOf } from '../pricing/windows.ts';
import type { Compaction } from '../runs/compaction.ts';
import { bytesOf, textBytesOf } from '../runs/message-texts.ts';
import type { Message } from '../runs/message.ts';
import type { Opened, Turn } from '../runs/run.ts';

/** How much of a window a prompt may fill. The rest is for the answer, and for estimates that are too low. */
const FILL = 0.8;

/** As in src/models/estimate.ts: the usual rule of thumb. */
export const BYTES_PER_TOKEN = 4;

/** More than prose in any language and code come to. */
const MOST_BYTES_PER_TOKEN = 6;

/** In less than this no agent can do anything. */
export const LEAST_WINDOW = 1_000;

/** Whether anything may be left out of a conversation. */
export function mayCompact({ context }: Opened): boolean {
  return context?.compact ?? true;
}

/**
 * The window of a run's model in tokens: what its agent's file says, or what is known of the model; and never more than
 * its API has refused. Infinity where nothing is known, until it refuses something.
 */
export function windowFor(
  { context, model }: Opened,
  before: Compaction | undefined,
  refused = Infinity,
): number {
  const told = context?.window ?? windowOf(model) ?? Infinity;
  return Math.min(told, before?.window ?? Infinity, refused);
}

/** The most tokens of a prompt, beside an answer of so many. */
export function promptLimit(window: number, maxTokens: number): number {
  return Math.min(FILL * window, Math.max(window - maxTokens, window / 2));
}

/**
 * What the next prompt comes to in tokens: what the provider counted for the last one and its answer, and an estimate
 * of what is new. Some servers count only what they have not cached, so that it is never taken to be less than its texts
 * come to at least.
 */
export function promptTokens(
  opened: Fixed,
  messages: readonly Message[],
  received: readonly Message[],
  last: Turn | undefined,
): number {
  if (last === undefined) return (fixedBytes(opened) + bytesOf(messages)) / BYTES_PER_TOKEN;
  const { inputTokens, outputTokens } = last.answer.usage;
  const counted = inputTokens + outputTokens + bytesOf(received) / BYTES_PER_TOKEN;
  return Math.max(counted, textBytesOf(messages) / MOST_BYTES_PER_TOKEN);
}

/** The part of every prompt that is no message. */
type Fixed = Pick<Opened, 'system' | 'tools'>;

export function fixedBytes({ system, tools }: Fixed): number {
  return Buffer.byteLength(system) + toolBytes(tools);
}

function toolBytes(tools: Opened['tools']): number {
  return tools.length > 0 ? Buffer.byteLength(JSON.stringify(tools)) : 0;
}

/**
 * Whether even the beginning of a conversation, which is always sent, is longer than the window.
 * @param own the run's first message
 */
export function isHopeless(opened: Fixed, own: readonly Message[], window: number): boolean {
  return (fixedBytes(opened) + bytesOf(own)) / MOST_BYTES_PER_TOKEN > window;
}

/**
 * The error for a conversation that does not fit, whatever is left out of it.
 * @param own the run's first message
 * @param said what the API says; absent: it was not asked
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

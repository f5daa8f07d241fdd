import { exceededText } from './refusal.ts';
import { BYTES_PER_TOKEN, textBytesOf } from '../records/message-texts.ts';
import type { Message, ModelResponse } from '../records/message.ts';
import type { Caps } from '../records/plan.ts';
import { callsMade, type Turn } from '../records/turn.ts';
import { counted } from '../../counted.ts';

/**
 * The limits of one conversation: those that `spawn_agent` gives a sub-agent, and the one at which a spawning agent
 * stops. A run makes one turn after another, so its own turns suffice; what it shares with its tree is counted in
 * ledgers.
 */

/**
 * The room for the next answer.
 * @param received the messages that the model is about to get
 * @param maxTokens of an answer, as the agent sets it; 0: no limit
 * @returns 0 for no limit; or which limit has been reached, in words
 */
export function roomForAnswer(
  caps: Caps,
  turns: readonly Turn[],
  received: readonly Message[],
  maxTokens: number,
): number | { exceeded: string } {
  if (caps.tokens === undefined) return maxTokens;
  const used = growth(turns) + Math.ceil(textBytesOf(received) / BYTES_PER_TOKEN);
  const left = caps.tokens - used;
  if (left <= 0) return { exceeded: exceededText({ limit: 'tokens', used, max: caps.tokens }) };
  return maxTokens === 0 ? left : Math.min(maxTokens, left);
}

/**
 * The limit that an answer exceeds, in words; then none of its calls is carried out.
 * @param room for the answer, as it was asked for
 */
export function limitAtAnswer(
  caps: Caps,
  turns: readonly Turn[],
  answer: ModelResponse,
  room: number,
  maxTokens: number,
): string | undefined {
  const used = callsMade(turns);
  if (caps.toolCalls > 0 && used + answer.calls.length > caps.toolCalls) {
    return exceededText({ limit: 'toolCalls', used, max: caps.toolCalls });
  }
  const isCut = answer.stopReason === 'max_tokens' && room !== maxTokens;
  if (caps.tokens === undefined || !isCut) return undefined;
  return exceededText({ limit: 'tokens', used: caps.tokens, max: caps.tokens });
}

/** The notices for the model when its newest calls have passed one of the marks on the way to its limit. */
export function noticesOf(caps: Caps, turns: readonly Turn[]): string[] {
  const [before, now] = [callsMade(turns.slice(0, -1)), callsMade(turns)];
  const passes = (mark: number) => mark > 0 && before < mark && now >= mark;
  const end = caps.toolCalls > 0 ? ` This run ends at ${caps.toolCalls}.` : '';
  if (passes(caps.pauseAt)) {
    return [
      `[Notification: You have made ${counted(now, 'tool call')}.${end} Stop here: say what you have found, what is left to do and why it takes so many calls, and go on only if you are about to finish.]`,
    ];
  }
  if (!passes(caps.warnAt)) return [];
  return [`[Notification: You have made ${counted(now, 'tool call')}.${end} Come to an end soon.]`];
}

/**
 * Tokens of its answers and of all that it was told since its first prompt, as the provider counted them. The count
 * restarts at a prompt from which something is left out, and the earlier count is added.
 */
function growth(turns: readonly Turn[]): number {
  let [before, start, end] = [0, 0, 0];
  for (const [index, { answer, compaction }] of turns.entries()) {
    const { inputTokens, outputTokens } = answer.usage;
    if (index === 0 || compaction !== undefined) {
      before += end - start;
      start = inputTokens;
    }
    end = inputTokens + outputTokens;
  }
  return Math.max(0, before + end - start);
}

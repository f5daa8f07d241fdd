import type { RunMessages } from '../../api/answers.ts';
import type { Conversation } from '../../../core/reports/run-schemas.ts';
import { get } from '../client/api.ts';
import { linkedAnswer } from '../client/linked-answer.ts';
import { MOST_FORMATTED } from '../shared/whole-text.tsx';

/** Longer texts are fetched on demand: there are many calls, and few are read. */
const MAX_CALL_CHARACTERS = 4_000;

/**
 * A part of a conversation.
 * @param turns from the first to the last; absent: to the newest
 * @throws {ApiError}
 */
export function conversationPart(
  run: string,
  turns: { from: number; to?: number | undefined },
  signal?: AbortSignal,
): Promise<Conversation> {
  return read(run, { ...turns, isCut: true }, signal);
}

/** One turn with all of its texts. */
export function wholeTurn(run: string, turn: number): Promise<Conversation> {
  return read(run, { from: turn, to: turn });
}

interface Asked {
  from: number;
  to?: number | undefined;
  /** Whether long texts are left out in part. */
  isCut?: boolean;
}

async function read(
  run: string,
  { from, to, isCut = false }: Asked,
  signal?: AbortSignal,
): Promise<Conversation> {
  const query = new URLSearchParams({ from_turn: String(from) });
  if (to !== undefined) query.set('to_turn', String(to));
  if (isCut) {
    query.set('max_characters', String(MOST_FORMATTED));
    query.set('max_call_characters', String(MAX_CALL_CHARACTERS));
  }
  const answer = await get<RunMessages>(`runs/${run}/messages?${query}`, signal);
  if (!('conversation_link' in answer)) return answer;
  const { url, bytes } = answer.conversation_link;
  const conversation = await linkedAnswer<Conversation>(answer.conversation_link, signal);
  if (conversation !== undefined) return conversation;
  throw new Error(`this has ${bytes} bytes, too many to be shown here: ${url}`);
}

import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import type { Turn } from '../records/turn.ts';
import type { Fitted, Refused, Summarise } from './make-room.ts';
import { compactionOf, sentMessages, type FirstMessages } from './messages.ts';
import { mayCompact, promptLimit, promptTokens, windowFor } from './window.ts';

/** A conversation up to its model's newest messages. */
interface Said {
  opened: Opened;
  first: FirstMessages;
  turns: readonly Turn[];
  received: Message[];
}

/**
 * Makes a conversation fit the window of its model. As long as it does, it is sent as it is.
 * @param refused the prompt that was refused for this turn last, if one was
 * @throws {ModelError} if it does not fit in any shortened form
 */
export async function fitWindow<Stopped extends object>(
  { opened, first, turns, received }: Said,
  refused: Refused | undefined,
  summarise: Summarise<Stopped>,
): Promise<Fitted | Stopped> {
  const before = compactionOf(turns);
  const messages = sentMessages(first, turns, received, before);
  const tokens = promptTokens(opened, messages, received, turns.at(-1));
  const window = windowFor(opened, before, refused?.tokens);
  const limit = promptLimit(window, opened.maxTokens);
  if (tokens <= limit || !mayCompact(opened)) return { messages, received, tokens };
  // Loaded late: most conversations fit.
  const { makeRoom } = await import('./make-room.ts');
  const prompt = { opened, first, turns, received, before, tokens, window, limit };
  return makeRoom(prompt, refused, summarise);
}

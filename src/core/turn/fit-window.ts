import { attachmentsIn } from '../records/message-texts.ts';
import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import type { RunReads } from '../records/ports.ts';
import type { Turn } from '../records/turn.ts';
import type { Fitted, Refused, Summarise } from './make-room.ts';
import { compactionOf, sentMessages, type FirstMessages } from './messages.ts';
import { mayCompact, promptLimit, promptTokens, windowFor } from './window.ts';
import { loadOnce } from '../../load-once.ts';

/** A conversation up to its model's newest messages. */
interface Said {
  opened: Opened;
  first: FirstMessages;
  turns: readonly Turn[];
  received: Message[];
}

/**
 * Makes a conversation fit the window of its model, and what is attached to it the limits of a request. As long as it
 * does, it is sent as it is.
 * @param refused the prompt that was refused for this turn last, if one was
 * @throws {ModelError} if it does not fit in any shortened form
 */
export async function fitWindow<Stopped extends object>(
  { opened, first, turns, received }: Said,
  refused: Refused | undefined,
  store: Pick<RunReads, 'attachment' | 'opened'>,
  summarise: Summarise<Stopped>,
): Promise<Fitted | Stopped> {
  const before = compactionOf(turns);
  const messages = sentMessages(first, turns, received, before);
  const attached = attachmentsIn(messages);
  const showing = attached.length > 0 ? (await loadShowing()).showingOf(opened, store) : undefined;
  const tokens = promptTokens(opened, messages, received, turns.at(-1), showing);
  const window = windowFor(opened, before, refused?.tokens);
  const limit = promptLimit(window, opened.maxTokens);
  const fits = tokens <= limit && (showing === undefined || showing.leftOut(attached) === 0);
  if (fits || !mayCompact(opened)) return { messages, received, tokens, showing };
  // Loaded late: most conversations fit.
  const { makeRoom } = await import('./make-room.ts');
  const prompt = { opened, first, turns, received, before, tokens, window, limit, showing };
  return makeRoom(prompt, refused, summarise);
}

const loadShowing = loadOnce(() => import('../attachments/showing.ts'));

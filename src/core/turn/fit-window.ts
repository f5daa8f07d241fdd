import type { Compaction, Summary } from '../records/compaction.ts';
import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import type { Turn } from '../records/turn.ts';
import type { SummaryWanted } from './compact.ts';
import { compactionOf, sentMessages } from './messages.ts';
import { mayCompact, promptLimit, promptTokens, windowFor } from './window.ts';

/** A prompt that the model's API refused for its length. */
export interface Refused {
  /** Its estimated length. */
  tokens: number;
  /** The API's own words. */
  reason: string;
}

/** A conversation up to what its model is told now. */
interface Said {
  opened: Opened;
  first: readonly Message[];
  turns: readonly Turn[];
  received: Message[];
}

/** The prompt that fits. */
export interface Fitted {
  messages: Message[];
  /** The newest messages, shortened if they have to be. */
  received: Message[];
  /** An estimate. */
  tokens: number;
  /** How its older part is sent from now on; absent: as before. */
  compaction?: Compaction;
}

/** Has the first `messages` messages of a conversation summarised, or returns why they are not. */
export type Summarise<Stopped> = (wanted: SummaryWanted, messages: number) => Promise<Summary | Stopped>;

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

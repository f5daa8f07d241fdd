import type { Compaction, Summary } from '../runs/compaction.ts';
import type { Message } from '../runs/message.ts';
import type { Opened, Turn } from '../runs/run.ts';
import { fit, type SummaryWanted } from './compact.ts';
import { compactionOf, sentMessages, toMessages } from './messages.ts';
import {
  fixedBytes,
  isHopeless,
  LEAST_WINDOW,
  mayCompact,
  promptLimit,
  promptTokens,
  tooLong,
  windowFor,
} from './window.ts';

/** A prompt that the model's API refused for its length. */
export interface Refused {
  /** What it was estimated at. */
  tokens: number;
  /** What the API said. */
  reason: string;
}

/** What a model is sent. */
export interface Fitted {
  messages: Message[];
  /** What it is told now, shortened if it has to be. */
  received: Message[];
  /** An estimate. */
  tokens: number;
  /** How its older part is sent from now on; absent: as before. */
  compaction?: Compaction;
}

/** A prompt that is hardly shorter than one that was refused is not sent. */
const SHORTER = 0.98;

/**
 * Makes a conversation fit the window of its model. As long as it does, it is sent as it is.
 * @param refused the prompt that was refused for this turn last, if one was
 * @param summarise has the older part summarised, so many messages of it, or returns why it is not
 * @throws {ModelError} if it does not fit, whatever is left out
 */
export async function fitWindow<Stopped extends object>(
  opened: Opened,
  first: readonly Message[],
  turns: readonly Turn[],
  received: Message[],
  refused: Refused | undefined,
  summarise: (wanted: SummaryWanted, messages: number) => Promise<Summary | Stopped>,
): Promise<Fitted | Stopped> {
  const before = compactionOf(turns);
  const messages = sentMessages(first, turns, received, before);
  const tokens = promptTokens(opened, messages, received, turns.at(-1));
  const window = windowFor(opened, before, refused?.tokens);
  const limit = promptLimit(window, opened.maxTokens);
  if (tokens <= limit || !mayCompact(opened)) return { messages, received, tokens };
  const own = first.length - 1;
  const said = toMessages(first, turns, []);
  const opening = said.slice(own, own + 1);
  const newest = turns.length === 0 ? said.length : said.length - 1;
  if ((turns.length === 0 && isHopeless(opened, opening, window)) || window < LEAST_WINDOW) {
    throw tooLong(opened, opening, window, refused?.reason);
  }
  const unsent = { said, own, newest, received, before };
  const sizes = { limit, tokens, fixed: fixedBytes(opened) };
  let fitting = fit(unsent, sizes);
  if (fitting.wanted !== undefined) {
    const summary = await summarise(fitting.wanted, newest);
    if (!('text' in summary)) return summary;
    fitting = fit(unsent, sizes, summary);
  }
  if (refused !== undefined && fitting.tokens > SHORTER * refused.tokens) {
    throw tooLong(opened, opening, window, refused.reason);
  }
  const compaction = { ...fitting.compaction, ...(refused !== undefined && { window }) };
  return {
    messages: sentMessages(first, turns, fitting.received, compaction),
    received: fitting.received,
    tokens: fitting.tokens,
    ...(!isSame(compaction, before) && { compaction }),
  };
}

function isSame(one: Compaction, other: Compaction | undefined): boolean {
  return (
    one.results === (other?.results ?? 0) &&
    one.summary?.turn === other?.summary?.turn &&
    one.window === other?.window
  );
}

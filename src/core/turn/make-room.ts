import type { Showing } from '../model/model.ts';
import type { Compaction, Summary } from '../records/compaction.ts';
import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import type { Turn } from '../records/turn.ts';
import { fit, type SummaryWanted } from './compact.ts';
import { sentMessages, toMessages, type FirstMessages } from './messages.ts';
import { isHopeless, tooLong } from './too-long.ts';
import { fixedBytes } from './window.ts';

/** A prompt that is hardly shorter than one that was refused is not sent. */
const SHORTER = 0.98;

/** In less than this no agent can do anything. */
const LEAST_WINDOW = 1_000;

/** A prompt that the model's API refused for its length. */
export interface Refused {
  /** Its estimated length. */
  tokens: number;
  /** The API's own words. */
  reason: string;
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
  /** Undefined where nothing is attached. */
  showing: Showing | undefined;
}

/** Has the first `messages` messages of a conversation summarised, or returns why they are not. */
export type Summarise<Stopped> = (wanted: SummaryWanted, messages: number) => Promise<Summary | Stopped>;

/** A prompt that has more tokens than it may have. */
interface LongPrompt {
  opened: Opened;
  first: FirstMessages;
  turns: readonly Turn[];
  received: Message[];
  before: Compaction | undefined;
  tokens: number;
  window: number;
  limit: number;
  showing: Showing | undefined;
}

/**
 * Leaves out as much of a prompt as needed.
 * @throws {ModelError} if that is not enough
 */
export async function makeRoom<Stopped extends object>(
  { opened, first, turns, received, before, tokens, window, limit, showing }: LongPrompt,
  refused: Refused | undefined,
  summarise: Summarise<Stopped>,
): Promise<Fitted | Stopped> {
  const { own } = first;
  const said = toMessages(first.messages, turns, []);
  const opening = said.slice(own, own + 1);
  const newest = turns.length === 0 ? said.length : said.length - 1;
  if ((turns.length === 0 && isHopeless(opened, opening, window)) || window < LEAST_WINDOW) {
    throw tooLong(opened, opening, window, refused?.reason);
  }
  const unsent = { said, own, newest, received, before };
  const sizes = { limit, tokens, fixed: fixedBytes(opened), showing };
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
    showing,
    ...(!isSame(compaction, before) && { compaction }),
  };
}

function isSame(one: Compaction, other: Compaction | undefined): boolean {
  return (
    one.results === (other?.results ?? 0) &&
    one.attachments === other?.attachments &&
    one.summary?.turn === other?.summary?.turn &&
    one.withoutSkills === other?.withoutSkills &&
    one.window === other?.window
  );
}

import type { LoadedSkill } from './message.ts';
import type { TokenUsage } from '../../token-usage.ts';

/**
 * How the older part of a conversation is sent from some turn on, so that it fits the model's window. It is kept with
 * that turn, and holds until a later turn has another one: every sender of the conversation, resumed or inherited,
 * sends the same messages. The messages themselves are kept as they were.
 *
 * Messages, results and attachments are counted from the first of the conversation, with what it inherits.
 */
export interface Compaction {
  /** How many results are left out. */
  results: number;
  /** How many attachments are left out; absent: none. */
  attachments?: number;
  /** Absent: no messages are left out. */
  summary?: Summary;
  /** Whether instructions of skills are left out as well, which are kept otherwise: they take too much of the window. */
  withoutSkills?: true;
  /** The most tokens that the model is believed to take, since its API refused so many; absent: it has not. */
  window?: number;
}

/** A model's summary of the older messages of its conversation, which it is sent in their place. */
export interface Summary {
  /** The turn for which the model was asked to write it. */
  turn: number;
  /** How many messages it stands for. The run's own first message is sent as well. */
  messages: number;
  text: string;
  /** The skills that were loaded in these messages, which are sent with it; absent: none. */
  skills?: LoadedSkill[];
  usage: TokenUsage;
  /** Its cost at the time, in billionths of a dollar. Absent: the price was unknown. */
  nanoUsd?: number;
}

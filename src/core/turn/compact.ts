import type { Compaction, Summary } from '../records/compaction.ts';
import { attachmentsIn, BYTES_PER_TOKEN, bytesOf as textBytes } from '../records/message-texts.ts';
import { resultsIn, type LoadedSkill, type Message, type ToolResult } from '../records/message.ts';
import { compacted, withoutText } from './compacted.ts';
import { skillsIn } from '../records/loaded-skills.ts';
import { cutMiddle } from './cut-text.ts';
import { attachedTokens } from '../attachments/attached-tokens.ts';
import type { Showing } from '../model/model.ts';

/** The newest calls, whose results are the last to be left out. */
const KEPT_CALLS = 10;

/** A part of a result that is shorter than this says too little. */
const SHORTEST_PART = 400;

/** A conversation that is about to be sent. */
export interface Unsent {
  /** All that was said, up to the newest answer. */
  said: readonly Message[];
  /** Which of these is the run's own first message. */
  own: number;
  /** Which of them is the run's newest answer; where it has none, how many there are. */
  newest: number;
  /** The newest messages for the model. */
  received: readonly Message[];
  /** How the older part has been sent so far. */
  before: Compaction | undefined;
}

/** How large it is, and how large it may be. */
export interface Sizes {
  /** The most tokens that the prompt may have. */
  limit: number;
  /** Its estimated length as it would be sent now. */
  tokens: number;
  /** Bytes that are sent with every prompt: the system prompt and the tools. */
  fixed: number;
  /** Absent: nothing is attached. */
  showing?: Showing | undefined;
}

/** How it fits. */
export interface Fitting {
  compaction: Compaction;
  /** The newest messages for the model, shortened if they have to be. */
  received: Message[];
  tokens: number;
  /** Set if it is not to be sent before this is done. */
  wanted?: SummaryWanted;
}

/** The part that has to be summarised before the rest fits. */
export interface SummaryWanted {
  /** As it was sent to the model or, if that would be too long, without the texts of results. */
  older: Message[];
  /** Its estimated length. */
  tokens: number;
  /** The most bytes that a text with all of these may have. */
  mostBytes: number;
  /** The most bytes of the summary that are of use. */
  summaryBytes: number;
  /** Those that were loaded in it. */
  skills: LoadedSkill[];
}

/**
 * Makes a conversation fit. The opening is always sent, and the rest of the limit is shared: one half is for messages
 * older than the newest, so that some turns pass before anything has to be left out again, and providers find their
 * caches until then.
 *
 * Attachments are left out first, and then results: the oldest before the others, and the results of the last ten calls
 * only as far as they must. If the rest is still too long, a summary is wanted. The newest messages are shortened only if they do not fit beside
 * that.
 * @param summary the one that was written for this turn, if it was wanted before
 */
export function fit(
  { said, own, newest, received, before }: Unsent,
  { limit, tokens, fixed, showing }: Sizes,
  summary?: Summary,
): Fitting {
  const bytesOf = (messages: readonly Message[]) =>
    textBytes(messages) + BYTES_PER_TOKEN * attachedTokens(messages, showing);
  const bytesNow = fixed + bytesOf(compacted(said, own, before)) + bytesOf(received);
  const perToken = bytesNow / tokens;
  const sizeOf = (messages: readonly Message[]) => bytesOf(messages) / perToken;
  const opening = sizeOf(said.slice(own, own + 1));
  const room = Math.max(0, limit - fixed / perToken - opening);
  const olderOf = (compaction: Compaction) => sizeOf(compacted(said, own, compaction)) - opening;
  const added = sizeOf(received);

  const all = resultsIn(said).length;
  const kept = Math.max(0, KEPT_CALLS - resultsIn(received).length);
  const isTooLong = () => older > room / 2 || older + added > room;
  const { attachments: gone = 0, results = 0 } = before ?? {};
  const skills = sizeOf(skillsIn(said).map(({ text }) => ({ role: 'user', text })));
  let compaction: Compaction = {
    ...before,
    results,
    // Kept, they would leave too little for the work: the model can load them again.
    ...(skills > room / 4 && { withoutSkills: true }),
  };
  let older = olderOf(compaction);
  if (showing !== undefined) {
    const attached = attachmentsIn(said).length;
    const sent = attachmentsIn([...compacted(said, own, before), ...received]);
    let attachments = gone + showing.leftOut(sent);
    const leaveOut = () => {
      compaction = { ...compaction, ...(attachments > 0 && { attachments }) };
      older = olderOf(compaction);
    };
    leaveOut();
    for (; tokens > limit && isTooLong() && attachments < attached; leaveOut()) attachments += 1;
  }
  // Without attachments to leave out, or where that was not enough.
  if (compaction.attachments === before?.attachments || (tokens > limit && isTooLong())) {
    compaction = { ...compaction, results: Math.max(results, all - kept) };
    older = olderOf(compaction);
  }
  while (compaction.results < all && isTooLong()) {
    compaction = { ...compaction, results: compaction.results + 1 };
    older = olderOf(compaction);
  }
  // A summary that would stand for little is not worth its price.
  const isLong = older > room / 2 && older - sizeOf(said.slice(newest)) > room / 4;
  if (isLong && summary !== undefined) {
    compaction = { ...compaction, summary };
    older = olderOf(compaction);
  }
  const shown = shortened(received, (room - older) * perToken);
  const fitting = {
    compaction,
    received: shown,
    tokens: fixed / perToken + opening + older + sizeOf(shown),
  };
  if (!isLong || summary !== undefined) return fitting;
  const sent = (results: number) =>
    compacted(said.slice(0, newest), own, { ...before, results: Math.max(before?.results ?? 0, results) });
  const conversation = sizeOf(sent(0)) > limit ? sent(all) : sent(0);
  return {
    ...fitting,
    wanted: {
      older: conversation,
      tokens: Math.min(limit, sizeOf(conversation)),
      mostBytes: limit * perToken,
      summaryBytes: (room / 8) * perToken,
      skills: skillsIn(said.slice(0, newest)),
    },
  };
}

/** The messages, with the longest of their results cut until all messages together fit into `bytes`. */
function shortened(messages: readonly Message[], bytes: number): Message[] {
  const sizes = resultsIn(messages).map(({ text }) => Buffer.byteLength(text));
  const others = textBytes(messages) - sizes.reduce((sum, size) => sum + size, 0);
  const most = evenShare(sizes, bytes - others);
  if (most === Infinity) return [...messages];
  return messages.map((message) =>
    message.role === 'tool'
      ? { ...message, results: message.results.map((result) => shortenedTo(most, result)) }
      : message,
  );
}

/** The size to which the largest must be cut so that the sum is at most `total`; Infinity if it already is. */
function evenShare(sizes: readonly number[], total: number): number {
  let left = total;
  const ascending = [...sizes].sort((one, other) => one - other);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Infinity;
}

function shortenedTo(bytes: number, result: ToolResult): ToolResult {
  const { text } = result;
  const size = Buffer.byteLength(text);
  if (size <= bytes) return result;
  const characters = Math.floor((text.length * bytes) / size) - SHORTEST_PART / 2;
  if (characters < SHORTEST_PART) return withoutText(result);
  return { ...result, text: cutMiddle(text, characters, result) };
}

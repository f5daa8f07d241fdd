import { AgentError } from '../../errors.ts';
import type { Compaction } from '../records/compaction.ts';
import type { Said } from '../records/attachment.ts';
import type { Message, ToolResult } from '../records/message.ts';
import type { RunReads } from '../records/ports.ts';
import type { Opened, Segment } from '../records/opened.ts';
import type { Turn } from '../records/turn.ts';
import { withInput } from '../agent-schema/user-message.ts';
import { defined } from '../../defined.ts';
import { compacted } from './compacted.ts';

/** The messages before a run's own turns. */
export interface FirstMessages {
  messages: Message[];
  /** Which of them is the run's own first message, which is always sent. */
  own: number;
}

/**
 * The messages before a run's own turns: the conversations that it inherits, its client's earlier messages, its first
 * message with the input that it reads by reference, and what was said after it in the conversation that it takes up.
 * The same for every turn of the run.
 * @throws {AgentError} if any of it is gone: a partial history is not used
 */
export async function firstMessages(opened: Opened, store: RunReads): Promise<FirstMessages> {
  const { history = [] } = opened;
  if (history.length === 0) return ownMessages(opened, store);
  const [own, ...segments] = await Promise.all([
    ownMessages(opened, store),
    ...history.map((segment) => readSegment(segment, store)),
  ]);
  // Each was sent with those before it, and its older part as it was sent then.
  const inherited = segments.reduce<Message[]>(
    (before, { first, turns, received, compaction }) =>
      sentMessages(after(before, first), turns, received, compaction),
    [],
  );
  return after(inherited, own);
}

function after(before: readonly Message[], { messages, own }: FirstMessages): FirstMessages {
  return { messages: [...before, ...messages], own: before.length + own };
}

/**
 * The conversation as it was sent for a turn of a run, or would be sent for its next one.
 * @throws {AgentError} as `firstMessages` does
 */
export async function sentForTurn(
  number: number,
  opened: Opened,
  turns: readonly Turn[],
  store: RunReads,
): Promise<FirstMessages> {
  const first = await firstMessages(opened, store);
  const compaction = compactionOf(turns.slice(0, number));
  const received = turns[number - 1]?.received ?? [];
  const messages = sentMessages(first, turns.slice(0, number - 1), received, compaction);
  // A summary stands for all that was said before it, but for the first message.
  return { messages, own: compaction?.summary === undefined ? first.own : 0 };
}

/**
 * The conversation as the model gets it. The bytes before the last message change only where its older part is left
 * out, so that providers can cache them. Each wire format arranges consecutive user messages as its API wants them.
 * @param compaction how the older part is sent; left out: as it was sent last
 */
export function sentMessages(
  { messages, own }: FirstMessages,
  turns: readonly Turn[],
  received: readonly Message[],
  compaction = compactionOf(turns),
): Message[] {
  return compacted(toMessages(messages, turns, received), own, compaction);
}

/** How the older part of a conversation was sent last; undefined: as it was said. */
export function compactionOf(turns: readonly Turn[]): Compaction | undefined {
  return turns.findLast(({ compaction }) => compaction !== undefined)?.compaction;
}

/** The whole conversation, as it was said. */
export function toMessages(
  first: readonly Message[],
  turns: readonly Turn[],
  received: readonly Message[],
): Message[] {
  const messages = [...first];
  for (const { received: before, answer } of turns) {
    const { text, calls, providerContent } = answer;
    const said: Message = { role: 'assistant', text, calls };
    messages.push(...before, providerContent === undefined ? said : { ...said, providerContent });
  }
  return [...messages, ...received];
}

/** The messages to the model after its last answer: first the results of its calls, then messages of others. */
export function toReceived(results: ToolResult[], said: readonly Said[] = []): Message[] {
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, results }] : []),
    ...said.map(({ text, attachments }) => ({ role: 'user' as const, text, ...defined({ attachments }) })),
  ];
}

async function readSegment({ run, to, isAnswered }: Segment, store: RunReads) {
  const [opened, turns] = await Promise.all([store.opened(run), store.turns(run)]);
  const last = turns[to - 1];
  if (opened === undefined || last === undefined) {
    throw new AgentError(`turn ${to} of run "${run}", which this run inherits, has been deleted`);
  }
  return {
    first: await ownMessages(opened, store),
    turns: turns.slice(0, isAnswered ? to : to - 1),
    received: isAnswered ? [] : last.received,
    compaction: compactionOf(turns.slice(0, to)),
  };
}

async function ownMessages(opened: Opened, store: RunReads): Promise<FirstMessages> {
  const { earlier = [], message, inputOf, attachments, later = [] } = opened;
  const text = inputOf === undefined ? message : await readInput(message, inputOf, store);
  const own = { role: 'user' as const, text, ...defined({ attachments }) };
  return { messages: [...earlier, own, ...later], own: earlier.length };
}

async function readInput(message: string, inputOf: string, store: RunReads): Promise<string> {
  const origin = await store.opened(inputOf);
  if (origin?.inputAt === undefined) {
    throw new AgentError(`the input of run "${inputOf}", which this run reads, has been deleted`);
  }
  return withInput(message, origin.message.slice(origin.inputAt));
}

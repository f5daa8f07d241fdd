import { AgentError } from '../errors.ts';
import type { Message, ToolResult } from '../runs/message.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Opened, Segment, Turn } from '../runs/run.ts';

/**
 * What comes before a run's own turns: the conversations that it inherits, and its first message with the input that it
 * reads by reference. The same for every turn of the run.
 * @throws {AgentError} if any of it is gone: a partial history is not used
 */
export async function firstMessages(opened: Opened, store: RunStore): Promise<Message[]> {
  const { history = [] } = opened;
  const [inherited, own] = await Promise.all([
    Promise.all(history.map((segment) => segmentMessages(segment, store))),
    firstMessage(opened, store),
  ]);
  return [...inherited.flat(), own];
}

/**
 * The whole conversation as the model gets it. The bytes before the last message never change from turn to turn, so
 * that providers can cache them. Each wire format arranges consecutive user messages as its API wants them.
 */
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

/** What the model is told after its last answer: first the results of its calls, then what others said. */
export function toReceived(results: ToolResult[], said: readonly string[] = []): Message[] {
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, results }] : []),
    ...said.map((text) => ({ role: 'user' as const, text })),
  ];
}

async function segmentMessages({ run, to }: Segment, store: RunStore): Promise<Message[]> {
  const [opened, turns] = await Promise.all([store.opened(run), store.turns(run)]);
  const last = turns[to - 1];
  if (opened === undefined || last === undefined) {
    throw new AgentError(`turn ${to} of run "${run}", which this run inherits, has been deleted`);
  }
  return toMessages([await firstMessage(opened, store)], turns.slice(0, to - 1), last.received);
}

async function firstMessage({ message, inputOf }: Opened, store: RunStore): Promise<Message> {
  if (inputOf === undefined) return { role: 'user', text: message };
  const origin = await store.opened(inputOf);
  if (origin?.inputAt === undefined) {
    throw new AgentError(`the input of run "${inputOf}", which this run reads, has been deleted`);
  }
  return { role: 'user', text: `${message}\n\nInput:\n${origin.message.slice(origin.inputAt)}` };
}

import type { Conversation } from '../../../core/reports/run-schemas.ts';

type Message = Conversation['messages'][number];
export type SaidByUser = Extract<Message, { role: 'user' }>;
export type AnswerMessage = Extract<Message, { role: 'assistant' }>;
export type Call = AnswerMessage['calls'][number];
export type Result = Extract<Message, { role: 'tool' }>['results'][number];

/** One turn as it is shown: the messages before it, its answer, and its calls with their results. */
export interface TurnBlock {
  turn: NonNullable<AnswerMessage['turn']>;
  said: SaidByUser[];
  answer: AnswerMessage;
  /** A call that has not ended has no result. */
  calls: { call: Call; result: Result | undefined }[];
}

/**
 * @param from the first turn of this part of the conversation
 * @returns the messages before the first turn of all, too: the inherited ones, and the task
 */
export function toTurns(
  messages: readonly Message[],
  from: number,
): { before: Message[]; turns: TurnBlock[] } {
  let waiting: Message[] = [];
  let before: Message[] = [];
  const turns: TurnBlock[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'tool' && last !== undefined) {
      last.calls = withResults(last.answer.calls, message.results);
    } else if (message.role === 'assistant' && message.turn !== undefined) {
      const isFirst = from === 1 && turns.length === 0;
      if (isFirst) before = waiting;
      const said = isFirst ? [] : waiting.filter((each) => each.role === 'user');
      const calls = message.calls.map((call) => ({ call, result: undefined }));
      turns.push({ turn: message.turn, said, answer: message, calls });
      waiting = [];
    } else waiting.push(message);
  }
  return turns.length === 0 ? { before: waiting, turns } : { before, turns };
}

/** Ids are unique within an answer only, and providers may repeat even those: the first that is left counts. */
function withResults(calls: readonly Call[], results: readonly Result[]): TurnBlock['calls'] {
  const left = [...results];
  return calls.map((call) => {
    const index = left.findIndex((result) => result.call_id === call.id && result.name === call.name);
    const [result] = index < 0 ? [] : left.splice(index, 1);
    return { call, result };
  });
}

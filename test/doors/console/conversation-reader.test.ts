import { expect, test } from 'vitest';
import {
  ConversationReader,
  type ReadPart,
  type ShownConversation,
} from '../../../src/doors/console/detail/conversation-reader.ts';

const FIGURES = {
  input_tokens: 1,
  output_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  usd: 0,
  duration_ms: 1,
  finished_at: '2026-01-01T09:00:00Z',
};
const task = { role: 'user' as const, text: 'go' };
const answer = (number: number) => ({
  role: 'assistant' as const,
  text: `step ${number}`,
  calls: [],
  turn: { number, ...FIGURES },
});

/** Reads from a conversation with so many turns. */
const reading =
  (made: { turns: number }): ReadPart =>
  async (_run, { from, to = made.turns }) => {
    const answers = Array.from({ length: to - from + 1 }, (_, index) => answer(from + index));
    return { system: '', turns: made.turns, messages: from === 1 ? [task, ...answers] : answers };
  };

test('of a run that is watched for long, the task and the newest turns are kept, until a reader scrolls back', async () => {
  const made = { turns: 10 };
  let shown: ShownConversation | undefined;
  const numbers = () => shown?.turns.map(({ turn }) => turn.number) ?? [];
  const reader = new ConversationReader('top-1', reading(made), (news) => void (shown = news));
  await reader.look(10);
  expect(numbers()).toHaveLength(10);
  made.turns = 5_000;
  await reader.look(5_000);
  expect(numbers()).toHaveLength(200);
  expect(numbers().slice(0, 2)).toEqual([1, 4_802]);
  expect(shown?.before).toEqual([task]);
  await reader.readBefore(4_802);
  expect(numbers().slice(0, 2)).toEqual([1, 4_777]);
  reader.close();
});

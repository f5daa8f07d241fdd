import { expect, test } from 'vitest';
import { roomForAnswer } from '../../../src/core/spending/caps.ts';
import { aTurn } from '../../fixtures/records.ts';

const caps = { toolCalls: 0, tokens: 1000, warnAt: 0, pauseAt: 0 };
const turn = (number: number, inputTokens: number, outputTokens: number) =>
  aTurn({ number, answer: { usage: { inputTokens, outputTokens } } });

test('the growth of a conversation still counts when its older part is left out', () => {
  const turns = [
    turn(1, 500, 100),
    turn(2, 800, 50),
    { ...turn(3, 400, 50), compaction: { results: 1 } },
    turn(4, 500, 10),
  ];
  // 350 until the second answer, and 110 since.
  expect(roomForAnswer(caps, turns, [], 0)).toBe(540);
  expect(roomForAnswer(caps, turns.slice(0, 2), [], 0)).toBe(650);
});

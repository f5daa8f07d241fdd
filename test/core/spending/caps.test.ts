import { expect, test } from 'vitest';
import { roomForAnswer } from '../../../src/core/spending/caps.ts';
import type { Turn } from '../../../src/core/records/turn.ts';

const caps = { toolCalls: 0, tokens: 1000, warnAt: 0, pauseAt: 0 };
const turn = (number: number, inputTokens: number, outputTokens: number): Turn => ({
  number,
  received: [],
  messages: 1,
  answer: { text: '', calls: [], stopReason: 'end', rawStopReason: '', usage: { inputTokens, outputTokens } },
  plans: [],
  at: '2026-01-01T00:00:00.000Z',
  latencyMs: 0,
});

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

import { expect, test } from 'vitest';
import { limitAtAnswer, noticesOf, roomForAnswer } from '../../../src/core/spending/caps.ts';
import { aTurn } from '../../fixtures/records.ts';

const caps = { toolCalls: 0, tokens: 1000, warnAt: 0, pauseAt: 0 };
const { tokens: _, ...unlimited } = caps;
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

test('the room for an answer is what is left behind all that was told and said, and no more than the agent sets', () => {
  const turns = [turn(1, 500, 100)];
  const received = [{ role: 'user' as const, text: 'x'.repeat(1198) }];
  // 100 tokens of the answer, and a quarter of the bytes of what the model is about to get.
  expect(roomForAnswer(caps, turns, received, 0)).toBe(600);
  expect(roomForAnswer(caps, turns, received, 599)).toBe(599);
  expect(roomForAnswer(caps, turns, received, 601)).toBe(600);
  expect(roomForAnswer(unlimited, turns, received, 601)).toBe(601);
  expect(roomForAnswer({ ...caps, tokens: 401 }, turns, received, 0)).toBe(1);
  expect(roomForAnswer({ ...caps, tokens: 400 }, turns, received, 0)).toEqual({
    exceeded: 'budget exceeded: used 400 of 400 tokens',
  });
});

const calls = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: 'list_directory', arguments: {} }));
const calling = (number: number, count: number) => aTurn({ number, answer: { calls: calls(count) } });

test('an answer runs into a limit with more calls than are left, or cut where its room ended', () => {
  const turns = [calling(1, 2)];
  const limited = { ...caps, toolCalls: 5 };
  const at = (given: object, room = 100, maxTokens = 0, of = limited) => {
    const { answer } = aTurn({ number: 2, answer: given });
    return limitAtAnswer(of, turns, answer, room, maxTokens);
  };
  expect(at({ calls: calls(3) })).toBe(undefined);
  expect(at({ calls: calls(4) })).toBe('budget exceeded: used 2 of 5 tool calls');
  expect(at({ calls: calls(4) }, 100, 0, caps)).toBe(undefined);
  const cut = { stopReason: 'max_tokens' as const };
  expect(at(cut)).toBe('budget exceeded: used 1000 of 1000 tokens');
  expect(at({ stopReason: 'end_turn' as const })).toBe(undefined);
  // It was cut where the agent says, and not by the limit.
  expect(at(cut, 100, 100)).toBe(undefined);
});

test('a model is told once when its calls pass a mark on the way to their limit', () => {
  const marked = { toolCalls: 9, warnAt: 3, pauseAt: 6 };
  const told = (...counts: number[]) =>
    noticesOf(
      marked,
      counts.map((count, index) => calling(index + 1, count)),
    );
  expect([told(), told(2), told(3, 1), told(6, 1)]).toEqual([[], [], [], []]);
  expect(told(2, 1)).toEqual([
    '[Notification: You have made 3 tool calls. This run ends at 9. Come to an end soon.]',
  ]);
  const stop = /^\[Notification: You have made 7 tool calls\. This run ends at 9\. Stop here: /;
  expect(told(3, 4)).toEqual([expect.stringMatching(stop)]);
  // Both at once are one notice.
  expect(told(7)).toEqual([expect.stringMatching(stop)]);
  expect(noticesOf({ ...marked, toolCalls: 0 }, [calling(1, 3)])).toEqual([
    '[Notification: You have made 3 tool calls. Come to an end soon.]',
  ]);
  expect(noticesOf({ ...marked, warnAt: 0, pauseAt: 0 }, [calling(1, 9)])).toEqual([]);
});

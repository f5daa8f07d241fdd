import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/core/events/event.ts';
import { KILLED } from '../../../../src/core/records/phase.ts';
import { eventLine } from '../../../../src/doors/cli/terminal/event-line.ts';

const WHO = { run: 'top-00000000000001', root: 'top-00000000000001', agent: 'top', model: 'a/b', depth: 0 };
const CALL = { turn: 2, call: 1, tool: 'read_file', kind: 'invoke', subject: 'a.md' } as const;
const USAGE = { turns: 1, inputTokens: 1_200, outputTokens: 30, toolCalls: 1 };
const CLOSED = { type: 'run_closed', durationMs: 1_250, characters: 2, text: 'ok' } as const;
const FINISHED = { type: 'turn_finished', turn: 2, stopReason: 'end', latencyMs: 950 } as const;

test.each<[line: string | undefined, event: Parameters<typeof lineOf>[0]]>([
  ['top: run top-00000000000001 opened: go', { type: 'run_opened', task: 'go' }],
  ['top: skill review loaded', { type: 'skill_loaded', skill: 'review' }],
  ['top: 1 context file: a.md', { type: 'context_discovered', files: ['a.md'] }],
  ['top: 2 context files: a.md, b.md', { type: 'context_discovered', files: ['a.md', 'b.md'] }],
  ['top: turn 2 began with 1 message', { type: 'turn_started', turn: 2, messages: 1, pendingCalls: 0 }],
  [
    'top: turn 2 ended with 0 calls (1,200 tokens in, 30 out, 0.9s): done',
    { ...FINISHED, text: ' done\n', calls: 0, usage: USAGE },
  ],
  [
    'top: turn 2 ended with 1 call (1,200 tokens in, 30 out, 0.9s)',
    { ...FINISHED, text: ' \n', calls: 1, usage: USAGE },
  ],
  ['top: call 2.1 made: read_file a.md', { type: 'call_started', ...CALL, arguments: { path: 'a.md' } }],
  ['top: run top-00000000000001 succeeded (1.3s)', { ...CLOSED, status: 'succeeded', error: '', reason: '' }],
  [
    'top: run top-00000000000001 failed (1.3s): no such key',
    { ...CLOSED, status: 'failed', error: 'ModelError', reason: 'no such key' },
  ],
  [
    'top: run top-00000000000001 killed (1.3s): by a person',
    { ...CLOSED, status: 'failed', error: KILLED, reason: 'by a person' },
  ],
])('a list of events has a line: %s', (line, event) => {
  expect(lineOf(event)).toBe(line);
});

test('a text is cut in a list where it has more than 120 characters', () => {
  const asked = (question: string) =>
    lineOf({ type: 'question_asked', turn: 2, call: 1, question, askedAt: '' });
  expect([119, 120, 121].map((length) => asked('x'.repeat(length)))).toEqual([
    `top: call 2.1 asks: ${'x'.repeat(119)}`,
    `top: call 2.1 asks: ${'x'.repeat(120)}`,
    `top: call 2.1 asks: ${'x'.repeat(120)}…`,
  ]);
});

test('an event of a run below is further to the right', () => {
  const event: RunEvent = { ...WHO, depth: 2, name: 'top-2', type: 'skill_loaded', skill: 'review' };
  expect(eventLine({ at: 0, event })).toBe('00:00:00.000Z     top (top-2): skill review loaded');
});

function lineOf(
  event: RunEvent extends infer Each ? (Each extends RunEvent ? Omit<Each, keyof typeof WHO> : never) : never,
) {
  return eventLine({ at: 0, event: { ...WHO, ...event } })?.slice('00:00:00.000Z '.length);
}

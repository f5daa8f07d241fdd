import { expect, test } from 'vitest';
import { rowAfter, type LiveRow } from '../../../../src/doors/cli/terminal/live-row.ts';
import type { RunEvent } from '../../../../src/core/events/event.ts';

const AGENT = { run: 'kid-1', root: 'kid-1', agent: 'kid', model: 'm/m', depth: 0 };
const OPENED: RunEvent = { ...AGENT, type: 'run_opened', task: 'go' };
const TURN: RunEvent = { ...AGENT, type: 'turn_started', turn: 1, messages: 1, pendingCalls: 0 };
const LATE: RunEvent = { ...AGENT, type: 'question_answered', turn: 1, call: 1 };
const closed = (status: 'succeeded' | 'idle' | 'stopped'): RunEvent => ({
  ...AGENT,
  type: 'run_closed',
  status,
  durationMs: 0,
  characters: 0,
  text: '',
  error: '',
  reason: '',
});

const BEGIN = Date.parse('2026-01-01T10:00:00.000Z');

/** The row after these events, each of which happened at this second. */
function after(...told: [second: number, event: RunEvent][]): LiveRow | undefined {
  return told.reduce<LiveRow | undefined>(
    (row, [second, event]) => rowAfter(row, event, BEGIN + 1000 * second),
    undefined,
  );
}

/** Of an agent that was opened at the beginning and has done nothing. */
const ROW = {
  id: 'kid-1',
  agent: 'kid',
  usage: { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
  startedAt: '2026-01-01T10:00:00.000Z',
  task: 'go',
  note: 'go',
  calls: [],
};

test('a row takes its times from what happened, whenever it is told', () => {
  expect(after([0, OPENED], [3, closed('succeeded')])).toEqual({
    ...ROW,
    status: 'succeeded',
    endedAt: '2026-01-01T10:00:03.000Z',
  });
});

test('an agent that has ended stays so, after any later event', () => {
  const ended = after([0, OPENED], [3, closed('stopped')]);
  expect(after([0, OPENED], [3, closed('stopped')], [4, LATE], [5, TURN])).toEqual(ended);
  expect(after([0, OPENED], [3, closed('idle')], [4, LATE])).toMatchObject({ status: 'idle' });
});

test('an agent that is opened again, or was idle and takes a turn, gains no time from the pause', () => {
  const again = { ...ROW, status: 'running', resumedAt: '2026-01-01T10:01:00.000Z', workedMs: 3000 };
  expect(after([0, OPENED], [3, closed('stopped')], [60, OPENED])).toEqual(again);
  expect(after([0, OPENED], [3, closed('idle')], [60, TURN])).toEqual(again);
});

test('the note of a row is what its agent does', () => {
  const notes = (...events: RunEvent[]) =>
    events.map((_, index) => {
      const row = after(
        [0, OPENED],
        ...events.slice(0, index + 1).map((event): [number, RunEvent] => [1, event]),
      );
      return [row?.status, row?.note, row?.calls.length];
    });
  const call = (number: number, kind: 'invoke' | 'delegate', subject = 'a.md') =>
    ({ turn: 1, call: number, tool: 'read_file', kind, subject }) as const;
  const started = (...given: Parameters<typeof call>): RunEvent => ({
    ...AGENT,
    type: 'call_started',
    ...call(...given),
    arguments: {},
  });
  const finished = (...given: Parameters<typeof call>): RunEvent => ({
    ...AGENT,
    type: 'call_finished',
    ...call(...given),
    isError: false,
    characters: 0,
    durationMs: 0,
    text: '',
  });
  const delta = (text: string, kind: 'text' | 'thinking' = 'text'): RunEvent => ({
    ...AGENT,
    type: 'message_delta',
    turn: 1,
    kind,
    text,
  });
  const output = (text: string): RunEvent => ({ ...AGENT, type: 'call_output', ...call(1, 'invoke'), text });
  const long = 'x'.repeat(501);
  expect(
    notes(
      TURN,
      { ...AGENT, type: 'turn_waiting', turn: 1, delayMs: 1_500, reason: 'busy' },
      delta('hmm', 'thinking'),
      delta('so '),
      delta(long),
      TURN,
      started(1, 'delegate'),
      started(2, 'invoke', long),
      output('one\ntwo \n'),
      output(' \n'),
      output(`${long}\n`),
      finished(2, 'invoke'),
      { ...AGENT, type: 'question_asked', turn: 1, call: 1, question: long, askedAt: '' },
      LATE,
      { ...AGENT, type: 'skill_loaded', skill: 'review' },
    ),
  ).toEqual([
    ['running', 'go', 0],
    ['waiting', 'waits 1.5s: busy', 0],
    ['waiting', 'waits 1.5s: busy', 0],
    ['waiting', { tail: 'so ' }, 0],
    ['waiting', { tail: 'x'.repeat(500) }, 0],
    ['running', 'go', 0],
    ['running', 'go', 1],
    ['running', `read_file ${long}`.slice(0, 500), 2],
    ['running', 'read_file: two', 2],
    ['running', 'read_file: two', 2],
    ['running', `read_file: ${'x'.repeat(500)}`, 2],
    ['running', 'go', 1],
    ['asking', `asks: ${'x'.repeat(500)}`, 1],
    ['running', 'go', 1],
    ['running', 'go', 1],
  ]);
});

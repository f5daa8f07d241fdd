import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/core/events/event.ts';
import type { TreeEvent } from '../../src/core/events/tree-event.ts';
import { KILLED } from '../../src/core/records/phase.ts';
import { toAgUi } from '../../src/doors/api/ag-ui/to-ag-ui.ts';
import { eventLine } from '../../src/doors/cli/terminal/event-line.ts';
import { createVerbose } from '../../src/doors/cli/terminal/verbose.ts';

type Untold = RunEvent extends infer Each
  ? Each extends RunEvent
    ? Omit<Each, 'run' | 'root' | 'agent' | 'model' | 'depth'>
    : never
  : never;

const AT = { turn: 2, call: 1 };
const CALL = { ...AT, tool: 'read_file', kind: 'invoke', subject: 'a.md' } as const;
const START = { ...AT, tool: 'call_agent', kind: 'delegate', subject: 'kid' } as const;
const USAGE = { turns: 1, inputTokens: 1_200, outputTokens: 30, toolCalls: 1 };
const FINISHED = {
  type: 'turn_finished',
  turn: 2,
  stopReason: 'end',
  calls: 1,
  latencyMs: 950,
  usage: USAGE,
} as const;
const RESULT = { type: 'call_finished', durationMs: 1_250, characters: 5, text: 'a\nbc\n' } as const;
const CLOSED = {
  type: 'run_closed',
  durationMs: 1_250,
  characters: 2,
  text: 'ok',
  error: '',
  reason: '',
} as const;
const ASKED = {
  type: 'question_asked',
  ...AT,
  question: 'May it?',
  askedAt: '2026-01-02T03:04:05.000Z',
} as const;
const EDIT = { tool: 'edit_file', arguments: { path: 'a' }, subject: 'a' };

/** Every kind of event, with what may be beside it. */
const EVENTS: (Untold & Pick<TreeEvent, 'before' | 'unfinished'>)[] = [
  { type: 'run_opened', task: 'go' },
  { type: 'run_opened', task: 'go', name: 'scout', derivedBy: 'fork', parent: { run: 'top-1', ...AT } },
  { type: 'skill_loaded', skill: 'review' },
  { type: 'context_discovered', files: ['a.md', 'b.md'] },
  { type: 'turn_started', turn: 2, messages: 3, pendingCalls: 1 },
  { type: 'turn_waiting', turn: 2, delayMs: 1_500, reason: 'it is busy' },
  { type: 'message_delta', turn: 2, kind: 'thinking', text: 'Hm.\n' },
  { type: 'message_delta', turn: 2, kind: 'text', text: 'So', before: { characters: -1, isVoid: false } },
  { type: 'message_delta', turn: 2, kind: 'text', text: 'So', before: { characters: 0, isVoid: false } },
  { type: 'message_delta', turn: 2, kind: 'text', text: 'So' },
  { ...FINISHED, text: 'So it is' },
  { ...FINISHED, text: '', refused: [{ tool: 'grep', text: 'Error: no such tool' }] },
  { ...FINISHED, text: 'So it is', before: { characters: 2, isVoid: false } },
  { ...FINISHED, text: 'So it is', before: { characters: 8, isVoid: false } },
  { ...FINISHED, text: 'So it is', before: { characters: 2, isVoid: true } },
  { type: 'call_started', ...CALL, arguments: { path: 'a.md' } },
  { type: 'call_started', ...START, arguments: { agent: 'kid', task: 'look' } },
  { type: 'call_output', ...CALL, text: 'one\n \ntwo' },
  { type: 'call_output', ...CALL, text: '\n' },
  { ...RESULT, ...CALL, isError: false },
  { ...RESULT, ...CALL, isError: true, failure: 'timeout' },
  { ...RESULT, ...START, isError: false },
  ASKED,
  { ...ASKED, choices: ['yes', 'no'] },
  { ...ASKED, approval: EDIT },
  { ...ASKED, call: 0 },
  { type: 'question_answered', ...AT },
  { type: 'question_answered', ...AT, answer: 'yes' },
  { type: 'question_answered', ...AT, answer: 'yes', by: 'ada' },
  { type: 'warning', message: 'it is odd' },
  { ...CLOSED, status: 'succeeded' },
  { ...CLOSED, status: 'succeeded', reason: 'the answer was cut off' },
  { ...CLOSED, status: 'idle' },
  { ...CLOSED, status: 'budget_exceeded', reason: 'max_tokens' },
  { ...CLOSED, status: 'stopped', reason: 'by ada' },
  { ...CLOSED, status: 'stopped', error: KILLED, reason: 'by ada' },
  { ...CLOSED, status: 'timed_out', text: '' },
  { ...CLOSED, status: 'failed', text: '', error: 'ModelError', reason: 'no such key' },
  { ...CLOSED, status: 'failed', unfinished: { turn: 2, isWriting: true } },
  { ...CLOSED, status: 'failed', unfinished: { turn: 2, isWriting: false } },
];

test('each kind of event is told as was accepted: in a list, by --verbose and to clients of AG-UI', async () => {
  const lines = EVENTS.flatMap(({ before, unfinished, ...untold }) =>
    [
      { run: 'top-1', depth: 0 },
      { run: 'kid-1-t2c1', depth: 1 },
    ].flatMap((where) => {
      const event: RunEvent = {
        root: 'top-1',
        agent: where.run.slice(0, 3),
        model: 'a/b',
        ...where,
        ...untold,
      };
      const verbose = createVerbose('top-1');
      const told = [verbose(event), verbose({ ...event, run: 'top-1', type: 'warning', message: '' })];
      return [
        `${event.type} ${event.run}`,
        `  list: ${eventLine({ at: 0, event })}`,
        `  --verbose: ${told.filter((each) => each !== undefined).join('\n    ')}`,
        ...toAgUi('top-1', {
          at: 7,
          event,
          ...(before !== undefined && { before }),
          ...(unfinished !== undefined && { unfinished }),
        }).map((each) => `  ${JSON.stringify(each)}`),
      ];
    }),
  );
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, 'accepted/told-events.txt'),
  );
});

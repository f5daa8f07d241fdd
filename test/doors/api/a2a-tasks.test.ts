import { Role, TaskState, type Part } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import type { Mail } from '../../../src/core/records/mail.ts';
import type { Run } from '../../../src/core/records/run.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { tasksOf } from '../../../src/doors/api/a2a/tasks.ts';
import { ADDS, BEGINS } from '../../../src/doors/api/a2a/task-ids.ts';
import type { Next } from '../../../src/doors/api/next-of.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';

const CALLS = [{ id: '1', name: 'read_file', arguments: {} }];
const working = (number: number, text: string, other: Partial<Turn> = {}) =>
  aTurn({ number, answer: { text, calls: CALLS }, ...other });
const answering = (number: number, text: string, other: Partial<Turn> = {}) =>
  aTurn({ number, answer: { text }, at: `2026-01-01T00:00:0${number}.000Z`, ...other });
const mail = (id: string, body: string, once: string): Mail => ({ id, body, once, sentAt: SENT });

/** What each task of a conversation shows: its state, what its status and its artifacts say, and its history. */
function shown(next: Next, turns: readonly Turn[], mails: readonly Mail[] = []) {
  const told = (parts: readonly Part[] = []) =>
    parts.map(({ content, mediaType }) => [mediaType, content?.value]);
  return tasksOf({ run: next.run, contextId: 'c', next }, 'go', mails, turns).map((task) => {
    expect(task.metadata).toEqual({ run: next.run.id });
    expect(task.contextId).toBe('c');
    return {
      id: task.id,
      state: task.status && TaskState[task.status.state],
      timestamp: task.status?.timestamp,
      message: told(task.status?.message?.parts),
      artifacts: task.artifacts.map(({ artifactId, name, parts }) => [artifactId, name, ...told(parts)]),
      history: task.history.map(({ messageId, role, parts, taskId }) => {
        expect(taskId).toBe(task.id);
        return [messageId, Role[role], ...told(parts)];
      }),
    };
  });
}

const ended = (other: Partial<Run>): Next => ({
  kind: 'ended',
  run: aRun({ endedAt: '2026-01-01T00:00:09.000Z', ...other }),
});
const works: Next = { kind: 'works', run: aRun() };

const RUN = works.run.id;
const SENT = '2026-01-01T00:00:08.000Z';
const BEGUN = '2026-01-01T00:00:00.000Z';
const text = (value: string) => ['text/plain', value];
const asked = (value: string, id = 'prompt') => [id, 'ROLE_USER', text(value)];
const looked = [`${RUN}-t1`, 'ROLE_AGENT', text('I look.')];
const aTask = (state: string, timestamp: string, other: object = {}) => ({
  id: RUN,
  state: `TASK_STATE_${state}`,
  timestamp,
  message: [],
  artifacts: [],
  history: [asked('go')],
  ...other,
});
const artifact = (content: unknown) => [['answer', 'answer', content]];

test('a task begins with its prompt, and shows what the agent says while it goes on', () => {
  expect(shown(works, [working(1, 'I look.'), working(2, ' ')])).toEqual([
    aTask('WORKING', BEGUN, { history: [asked('go'), looked] }),
  ]);
  expect(shown(works, [])).toEqual([aTask('WORKING', BEGUN)]);
});

test.each(['succeeded', 'idle'] as const)('an answer completes the newest task: %s', (status) => {
  expect(shown(ended({ status }), [working(1, 'I look.'), answering(2, 'so')])).toEqual([
    aTask('COMPLETED', '2026-01-01T00:00:02.000Z', {
      artifacts: artifact(text('so')),
      history: [asked('go'), looked],
    }),
  ]);
  expect(shown(ended({ status }), [answering(1, '{"n":1}', { faults: [] })])).toEqual([
    aTask('COMPLETED', '2026-01-01T00:00:01.000Z', {
      artifacts: artifact(['application/json', { n: 1 }]),
    }),
  ]);
});

test.each([
  ['failed', 'FAILED'],
  ['stopped', 'CANCELED'],
] as const)('a run that has %s says why with its newest task', (status, state) => {
  const failure = { error: 'ModelError', message: 'gone' };
  expect(shown(ended({ status, failure }), [working(1, 'I look.')])).toEqual([
    aTask(state, '2026-01-01T00:00:09.000Z', {
      message: [text('gone')],
      history: [asked('go'), looked],
    }),
  ]);
});

test('a question is what the task waits for', () => {
  const askedAt = '2026-01-01T00:00:05.000Z';
  const question = {
    run: 'top-1',
    root: 'top-1',
    turn: 1,
    call: 1,
    agent: 'top',
    question: 'Which?',
    askedAt,
  };
  const asks = (other: object): Next => ({
    kind: 'asks',
    run: aRun(),
    questions: [{ ...question, ...other }],
  });
  const waiting = (value: object) =>
    aTask('INPUT_REQUIRED', askedAt, {
      message: [text('Which?'), ['application/json', { question_id: 't1c1', run_id: 'top-1', ...value }]],
    });
  expect(shown(asks({ choices: ['red'] }), [working(1, '')])).toEqual([waiting({ choices: ['red'] })]);
  const approval = { tool: 'write_file', arguments: { path: 'a' } };
  expect(shown(asks({ approval }), [working(1, '')])).toEqual([waiting({ choices: [], ...approval })]);
});

test('each message that begins a task ends the one before, and others add to the one that reads them', () => {
  const mails = [
    mail('m1', 'and more', `${ADDS}a1`),
    mail('m2', 'next', `${BEGINS}b1`),
    mail('m3', 'unread', `${BEGINS}b2`),
    mail('m4', 'of another', ''),
  ];
  const turns = [
    working(1, 'I look.'),
    answering(2, 'first', { told: ['m1'] }),
    answering(3, 'second', { told: ['m2', 'm4'] }),
  ];
  expect(shown(works, turns, mails)).toEqual([
    aTask('COMPLETED', '2026-01-01T00:00:02.000Z', {
      artifacts: artifact(text('first')),
      history: [asked('go'), asked('and more', `${ADDS}a1`), looked],
    }),
    aTask('COMPLETED', '2026-01-01T00:00:03.000Z', {
      id: `${RUN}~b1`,
      artifacts: artifact(text('second')),
      history: [asked('next', 'b1')],
    }),
    aTask('SUBMITTED', SENT, { id: `${RUN}~b2`, history: [asked('unread', 'b2')] }),
  ]);
});

test('a message that begins a task in the middle of another has both end with the next answer, and stay so', () => {
  const mails = [mail('m1', 'next', `${BEGINS}b1`)];
  const turns = [working(1, 'I look.'), working(2, 'I go on.', { told: ['m1'] }), answering(3, 'both')];
  const over = { artifacts: artifact(text('both')) };
  const both = [
    aTask('COMPLETED', '2026-01-01T00:00:03.000Z', { ...over, history: [asked('go'), looked] }),
    aTask('COMPLETED', '2026-01-01T00:00:03.000Z', {
      ...over,
      id: `${RUN}~b1`,
      history: [asked('next', 'b1'), [`${RUN}-t2`, 'ROLE_AGENT', text('I go on.')]],
    }),
  ];
  expect(shown(ended({ status: 'succeeded' }), turns, mails)).toEqual(both);
  const more = [...mails, mail('m2', 'last', `${BEGINS}b2`)];
  const later = [...turns, working(4, '', { told: ['m2'] })];
  expect(shown(ended({ status: 'failed' }), later, more).slice(0, 2)).toEqual(both);
});

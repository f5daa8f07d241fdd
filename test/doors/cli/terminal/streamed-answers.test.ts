import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/core/events/event.ts';
import type { Area, LiveTree } from '../../../../src/doors/cli/terminal/live-tree.ts';
import { openStreamedAnswers } from '../../../../src/doors/cli/terminal/streamed-answers.ts';

/** Answers without colours, and what stands of them on the screen. */
function openAnswers() {
  let above = '';
  let between: (area: Area) => string[] = () => [];
  const write = (text: string) => void (above += text);
  const live: LiveTree = {
    emit() {},
    above: write,
    aboveAsMade: write,
    between: (picture) => void (between = picture),
    below() {},
    aside: (work) => work(),
    close: () => Promise.resolve(),
  };
  const terminal = Object.assign(new Writable(), { columns: 21, rows: 10, hasColors: () => false });
  const answers = openStreamedAnswers(live, terminal);
  return { answers, above: () => above, tail: (height = 9) => between({ width: 20, height }) };
}

const identity = { root: 'r', agent: 'bob', model: 'm/n', depth: 0 };
const wrote = (text: string, turn = 1, run = 'r'): RunEvent => ({
  type: 'message_delta',
  ...identity,
  run,
  turn,
  kind: 'text',
  text,
});
const finished = (text: string, turn = 1, run = 'r'): RunEvent => ({
  type: 'turn_finished',
  ...identity,
  run,
  turn,
  text,
  stopReason: 'stop',
  calls: 0,
  latencyMs: 1,
  usage: { turns: 1, toolCalls: 0, inputTokens: 1, outputTokens: 1 },
});

test('a text is shown once, whether it came in pieces or is told as an answer', () => {
  const { answers, above, tail } = openAnswers();
  answers.hear(wrote('one\ntw'), 'bob');
  expect([above(), tail()]).toEqual(['bob: one\n', ['tw']]);
  answers.hear(finished('one\ntwo'), 'bob');
  expect([above(), tail(), answers.isShown({ run: 'r', turn: 1 })]).toEqual(['bob: one\ntwo\n', [], true]);
  answers.answer('bob', 'one\ntwo', { run: 'r', turn: 1 });
  answers.answer('bob', 'three', { run: 'r', turn: 2 });
  expect(above()).toBe('bob: one\ntwo\nbob: three\n');
});

test('what a model had written before it was asked again is marked, and its answer is shown whole', () => {
  const { answers, above } = openAnswers();
  answers.hear(wrote('one\ntw'), 'bob');
  answers.hear({ type: 'turn_waiting', ...identity, run: 'r', turn: 1, delayMs: 5, reason: 'busy' }, 'bob');
  answers.hear(wrote('uno'), 'bob');
  answers.hear(finished('uno'), 'bob');
  expect(above()).toBe('bob: one\ntw\n(broken off; the model is asked again)\nbob: uno\n');
});

test('an answer that is not what came in pieces is shown whole', () => {
  const { answers, above } = openAnswers();
  answers.hear(wrote('half of'), 'bob');
  answers.hear(finished('another'), 'bob');
  expect(above()).toBe('bob: half of\nbob: another\n');
});

test('of a text that is written, its last lines are shown, as many as there is room for', () => {
  const { answers, tail } = openAnswers();
  answers.hear(wrote('some words that need more lines than one, 漢字 too'), 'bob');
  expect(tail()).toEqual(['bob: some words that', 'need more lines than', 'one, 漢字 too']);
  expect(tail(2)).toEqual(['need more lines than', 'one, 漢字 too']);
});

test('others are not shown, but one that has begun is, to its end', () => {
  const { answers, above } = openAnswers();
  answers.hear(wrote('begun'), 'bob');
  answers.hear(wrote('other', 1, 'kid'), undefined);
  answers.hear(wrote(' here'), undefined);
  answers.hear(finished('begun here'), undefined);
  answers.hear(finished('other', 1, 'kid'), undefined);
  expect(above()).toBe('bob: begun here\n');
});

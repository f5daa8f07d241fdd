import { expect, test } from 'vitest';
import { REMOTE_TOOL } from '../../../src/core/records/remote-model.ts';
import type { Message, ToolCall } from '../../../src/core/records/message.ts';
import { remoteModel } from '../../../src/providers/planned/remote.ts';

/** Plays the conversation: each of these answers one call that asks the remote agent. */
async function play(answers: (object | string)[], person = 'blue'): Promise<string[]> {
  const messages: Message[] = [{ role: 'user', text: JSON.stringify({ agent: 'booking', task: 'a room' }) }];
  const left = [...answers];
  const said: string[] = [];
  const signal = new AbortController().signal;
  for (let turn = 0; turn < 100; turn++) {
    const answer = await remoteModel
      .send({ model: 'remote', system: '', messages, tools: [], maxTokens: 0 }, signal)
      .catch((thrown: unknown) => String(thrown));
    if (typeof answer === 'string') return [...said, answer];
    const { text, calls } = answer;
    if (calls.length === 0) return [...said, `answer: ${text}`];
    said.push(calls.map(shown).join(', '));
    messages.push({ role: 'assistant', text, calls });
    messages.push({
      role: 'tool',
      results: calls.map((call) => ({ callId: call.id, name: call.name, ...resultOf(call) })),
    });
  }
  throw new Error('it has no end');

  function resultOf({ name }: ToolCall): { text: string; isError: boolean } {
    if (name === 'wait') return { text: '[]', isError: false };
    if (name === 'ask_user') return { text: person, isError: person === '' };
    const next = left.shift() ?? { task: 'x', state: 'working', text: '' };
    return typeof next === 'string'
      ? { text: next, isError: true }
      : { text: JSON.stringify(next), isError: false };
  }
}

/** The ids of messages are left out, but for whether one comes again. */
const ids: string[] = [];
function shown({ name, arguments: { message, ...args } }: ToolCall): string {
  if (typeof message === 'string' && !ids.includes(message)) ids.push(message);
  const nth = typeof message === 'string' ? ` #${ids.indexOf(message) + 1}` : '';
  return `${name === REMOTE_TOOL ? 'remote' : name} ${JSON.stringify(args)}${nth}`;
}

const working = { task: 'x', state: 'working', text: '' };
const SEND = 'remote {"ask":"send","text":"a room"} #1';
const GET = 'remote {"ask":"get","task":"x"}';

test('it looks in steps that grow to a minute, for as long as the task takes', async () => {
  ids.length = 0;
  const said = await play([
    ...Array.from({ length: 9 }, () => working),
    { task: 'x', state: 'done', text: 'a key' },
  ]);
  expect(said).toEqual([
    SEND,
    ...[1, 2, 4, 8, 16, 32, 60, 60, 60].map((timeout) => `wait {"timeout":${timeout}}, ${GET}`),
    'answer: a key',
  ]);
});

test('a question goes to the person, and the answer back to the task', async () => {
  ids.length = 0;
  const asks = { task: 'x', state: 'asks', text: 'Which?', choices: ['red', 'blue'] };
  expect(await play([asks, { task: 'x', state: 'done', text: 'a key' }])).toEqual([
    SEND,
    'ask_user {"question":"Which?","choices":["red","blue"]}',
    'remote {"ask":"send","text":"blue","task":"x"} #2',
    'answer: a key',
  ]);
  expect((await play([asks], '')).at(-1)).toBe(
    'ModelError: bad_request: it asks, and nobody answers: Which?',
  );
});

test('a server that cannot be reached is asked the same again, five times in a row at most', async () => {
  ids.length = 0;
  const down = 'Error: remote agent "booking" does not answer: connect ECONNREFUSED';
  const again = (seconds: number, what: string) => `wait {"timeout":${seconds}}, ${what}`;
  expect(await play([down, down, working, down, { task: 'x', state: 'done', text: 'a key' }])).toEqual([
    SEND,
    again(1, SEND),
    again(2, SEND),
    again(4, GET),
    again(8, GET),
    'answer: a key',
  ]);
  ids.length = 0;
  const said = await play(Array.from({ length: 6 }, () => down));
  expect(said).toEqual([
    SEND,
    ...[1, 2, 4, 8, 16].map((seconds) => again(seconds, SEND)),
    'ModelError: bad_request: remote agent "booking" does not answer: connect ECONNREFUSED',
  ]);
});

test.each([
  [{ task: 'x', state: 'failed', text: 'no rooms' }, 'no rooms'],
  [{ task: 'x', state: 'canceled', text: '' }, 'the task was canceled'],
])('a task without an answer fails: %j', async (state, reason) => {
  expect((await play([state])).at(-1)).toBe(`ModelError: bad_request: ${reason}`);
});

import type { Interrupt } from '@ag-ui/client';
import { expect, test } from 'vitest';
import { call, latch, use, type Role } from '../../fixtures/stage.ts';
import { ONE_TURN, serveAgents } from './served-agents.ts';
import { clientOf, answerTo, user, assistant, counting, hello, runsOf } from './ag-ui-client.ts';

test('a thread is one run that goes on, which is told each message once', async () => {
  const served = await serveAgents({ top: counting });
  const { agent, say, said } = clientOf(served);
  expect((await say('one')).events).toEqual(ONE_TURN);
  expect((await say('two')).events).toEqual(ONE_TURN);
  expect(said()).toEqual(['one', 'answer 1', 'two', 'answer 2']);
  expect(served.stage.asked.map(({ request }) => request.messages)).toEqual([
    [user('one')],
    [user('one'), assistant('answer 1'), user('two')],
  ]);
  // A client may have sent more before it was answered. The agent hears both, together or one after the other.
  agent.addMessage({ id: 'x', role: 'user', content: 'three' });
  await say('four');
  const [{ request, turn } = expect.fail()] = served.stage.asked.slice(-1);
  const heard = request.messages.filter(({ role }) => role === 'user');
  expect(heard).toEqual(['one', 'two', 'three', 'four'].map(user));
  expect(said().at(-1)).toBe(`answer ${turn}`);
  expect(await runsOf(served)).toHaveLength(1);
  await clientOf(served, 'another').say('one');
  expect(await runsOf(served)).toHaveLength(2);
});

test('a thread that begins in mid-conversation has what was said before as its history', async () => {
  const served = await serveAgents({ top: counting });
  const { say, said } = clientOf(served, 'thread', [
    { id: 'a', role: 'assistant', content: 'How can I help?' },
    { id: 'b', role: 'system', content: 'Be brief.' },
    { id: 'c', role: 'user', content: [{ type: 'text', text: 'one' }] },
    { id: 'd', role: 'assistant', content: 'first' },
  ]);
  await say('two');
  await say('three');
  expect(served.stage.asked.map(({ request }) => request.messages)).toEqual([
    [user('Be brief.\n\none'), assistant('first'), user('two')],
    [user('Be brief.\n\none'), assistant('first'), user('two'), assistant('answer 2'), user('three')],
  ]);
  expect(said().at(-1)).toBe('answer 3');
});

const asking: Role = ({ turn, results }) => {
  if (turn === 1) return [use('ask_user', { question: 'Which one?', choices: ['red', 'blue'] })];
  return turn === 2 ? results.join() : 'more, then';
};

const questionOf = (interrupts: readonly Interrupt[]) =>
  interrupts.map(({ reason, message, responseSchema }) => ({ reason, message, responseSchema }));

test('a question is an interrupt, and resume answers it', async () => {
  const served = await serveAgents({ top: asking }, { top: 'tools = ["ask_user"]\n' });
  const { agent, run, say, said } = clientOf(served);
  const { interrupts, events } = await say('go');
  expect(events.at(-1)).toBe('RUN_FINISHED');
  expect(questionOf(interrupts)).toEqual([
    {
      reason: 'question',
      message: 'Which one?',
      responseSchema: { anyOf: [{ enum: ['red', 'blue'] }, { type: 'string' }] },
    },
  ]);
  const [{ id } = expect.fail()] = interrupts;
  const refused = [
    [[], `the thread waits for answers: resume must have ${id}`],
    [
      [
        { interruptId: id, status: 'resolved', payload: 'red' },
        { interruptId: 'odd', status: 'resolved', payload: 'red' },
      ],
      'resume.1.interruptId "odd" is not open: it was answered in another way, or never asked in this thread; leave it out',
    ],
  ] as const;
  const messages = [{ id: 'm1', role: 'user', content: 'go' }];
  for (const [resume, detail] of refused) {
    const { status, body } = await answerTo(served, { messages, resume });
    expect([status, JSON.parse(body).detail]).toEqual([409, detail]);
  }
  const choice = { interruptId: id, status: 'resolved', payload: { choice: 'green' } };
  expect((await answerTo(served, { messages, resume: [choice] })).status).toBe(400);
  const resumed = await run([{ interruptId: id, status: 'resolved', payload: 'blue' }]);
  expect(resumed.interrupts).toEqual([]);
  expect(resumed.events).toContain('TOOL_CALL_RESULT');
  expect(said().at(-1)).toBe('blue');
  // A client whose answer was lost sends it again, with the rest.
  const again = { interruptId: id, status: 'resolved' as const, payload: 'blue' };
  await say('more', [again]);
  expect(said().at(-1)).toBe('more, then');
  const other = await answerTo(served, { messages: agent.messages, resume: [{ ...again, payload: 'red' }] });
  expect(other.status).toBe(409);
});

test('a call that was approved is not approved again with other arguments, nor twice in one request', async () => {
  const served = await serveAgents(
    {
      top: ({ turn, results }) =>
        turn === 1 ? [use('write_file', { path: 'a', content: 'A' })] : results.join(),
    },
    { top: 'tools = ["write_file"]\n[permissions]\nask = ["write_file"]\n' },
  );
  const { agent, run, say } = clientOf(served);
  const { interrupts } = await say('go');
  const entry = (payload: object) => ({
    interruptId: interrupts[0]?.id ?? expect.fail(),
    status: 'resolved' as const,
    payload,
  });
  const approved = entry({ choice: 'approve' });
  const changed = entry({ choice: 'approve', arguments: { path: 'b', content: 'B' } });
  const { messages } = agent;
  const twice = await answerTo(served, { messages, resume: [approved, changed] });
  expect([twice.status, JSON.parse(twice.body).detail]).toEqual([
    400,
    'resume must answer each interrupt once',
  ]);
  await run([approved]);
  const statuses = [approved, changed].map(async (each) => {
    const next = { id: 'n', role: 'user', content: 'and then?' };
    return (await answerTo(served, { messages: [...messages, next], resume: [each] })).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 409]);
});

test('agents below that ask are suspended until all are answered, and those at work finish first', async () => {
  const isAsked = latch();
  const served = await serveAgents(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('kid', 'x'), call('elf', 'y')] : results.join()),
      kid: asking,
      elf: async () => {
        await isAsked.opened;
        return 'elf is done';
      },
    },
    { top: 'sub_agents = ["kid", "elf"]\n', kid: 'tools = ["ask_user"]\n' },
  );
  served.stage.onEvent(({ type }) => type === 'question_asked' && isAsked.open());
  const { agent, run, say, said } = clientOf(served);
  const outcomes: unknown[] = [];
  agent.subscribe({
    onSubagentFinishedEvent: ({ event: { outcome } }) => void outcomes.push(outcome),
  });
  const { interrupts } = await say('go');
  const [{ id, subagentRunId = '' } = expect.fail()] = interrupts;
  expect(id).toBe(`${subagentRunId}-t1c1`);
  expect(outcomes).toEqual([{ type: 'success' }, { type: 'suspended', interruptIds: [id] }]);
  outcomes.length = 0;
  await run([{ interruptId: id, status: 'cancelled' }]);
  expect(outcomes).toEqual([{ type: 'success' }]);
  expect(said().at(-1)).toBe('(question could not be answered),elf is done');
});

test('what was said stays as it is', async () => {
  const served = await serveAgents({ top: counting });
  const { agent, say } = clientOf(served);
  await say('one');
  await say('two');
  const [one, first, two, second] = agent.messages;
  if (!one || !first || !two || !second) expect.fail();
  const next = { id: 'n', role: 'user', content: 'three' };
  const stays = 'what was said in a thread stays; begin another thread with these messages';
  for (const [messages, detail] of [
    [
      [{ ...one, content: 'other' }, first, two, second, next],
      'messages differ from those that the thread began with',
    ],
    [
      [one, first, { ...two, content: 'other' }, second, next],
      'messages.2 differs from what the agent was told',
    ],
    [[one, { ...first, content: 'other' }, two, second, next], 'messages.1 differs from what the agent said'],
    [[one, first], 'messages end before what the agent was told last'],
  ] as const) {
    const { status, body } = await answerTo(served, { messages });
    expect([status, JSON.parse(body).detail]).toEqual([409, `${detail}: ${stays}`]);
  }
  const { status, body } = await answerTo(served, { messages: [one, first, two] });
  expect([status, JSON.parse(body).detail]).toEqual([
    409,
    'messages end with nothing new: the agent has answered all of them, so add one of the user',
  ]);
  expect(served.stage.asked).toHaveLength(2);
});

test('what cannot be honoured is refused by name, and what says nothing is taken', async () => {
  const served = await serveAgents({ top: () => 'so' });
  for (const [body, detail] of [
    [
      { tools: [{ name: 'x', description: '', parameters: {} }] },
      'tools is not supported: an agent has the tools of its file, and calls them itself',
    ],
    [{ context: [{ description: 'a', value: 'b' }] }, 'context is not supported: say it in a message'],
    [{ threadId: '' }, 'threadId must not be empty'],
    [{ runId: undefined }, 'runId is missing'],
    [{ messages: [] }, 'messages must end with a message of the user'],
    [
      { messages: [{ id: 'a', role: 'user', content: [{ type: 'image', source: {} }] }] },
      'messages.0.content must be a text, or parts of the types "text", "image" and "document" with a source of the type "data": an agent is shown nothing else',
    ],
    [
      { messages: [{ id: 'a', role: 'robot', content: 'x' }] },
      expect.stringMatching(/^messages\.0\.role must be/),
    ],
  ] as const) {
    const answer = await answerTo(served, body);
    expect([answer.status, JSON.parse(answer.body).detail]).toEqual([400, detail]);
  }
  expect(served.stage.asked).toEqual([]);
  const nothing = [...hello, { id: 'm2', role: 'assistant', content: null, toolCalls: null }, ...hello];
  const nulls = { messages: nothing, resume: null, tools: null, context: null, state: null };
  expect((await answerTo(served, { threadId: 'other', ...nulls })).status).toBe(200);
  const sent = { state: { a: 1 }, tools: [], context: [], forwardedProps: { b: 2 }, parentRunId: 'p' };
  expect((await answerTo(served, sent)).status).toBe(200);
});

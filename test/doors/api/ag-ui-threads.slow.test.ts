import { HttpAgent, type Interrupt, type Message } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { hashOf } from '../../../src/core/attachments/to-attachment.ts';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { createApi } from '../../../src/doors/api/api.ts';
import { createDoors } from '../../../src/doors/api/doors.ts';
import { hookServer, hookTables } from '../../fixtures/hook-server.ts';
import { png } from '../../fixtures/images.ts';
import { call, latch, silence, use, type Role } from '../../fixtures/stage.ts';
import { contextOf, ONE_TURN, serveAgents, serveAgentsIn, wallClock, type Served } from './served-agents.ts';

/** AG-UI's own client, which refuses streams that its protocol does not allow. */
function clientOf({ server }: Pick<Served, 'server'>, threadId = 'thread', initialMessages: Message[] = []) {
  const agent = new HttpAgent({ url: `${server.url}/agents/top/ag-ui`, threadId, initialMessages });
  const events: string[] = [];
  agent.subscribe({
    onEvent({ event }) {
      expect(EventSchema.parse(event)).toEqual(event);
      events.push(event.type);
    },
  });
  let said = initialMessages.length;
  const run = async (resume?: Resume) => {
    events.length = 0;
    await agent.runAgent(resume && { resume });
    return { events: [...events], interrupts: agent.pendingInterrupts };
  };
  return {
    agent,
    run,
    async say(content: string, resume?: Resume) {
      agent.addMessage({ id: `m${++said}`, role: 'user', content });
      return run(resume);
    },
    /** The words of both sides. */
    said: () => agent.messages.flatMap(({ role, content }) => (role === 'tool' ? [] : [content])),
  };
}
type Resume = { interruptId: string; status: 'resolved' | 'cancelled'; payload?: unknown }[];

/** The answer to a body that its client does not send. */
async function answerTo({ server }: Pick<Served, 'server'>, body: object) {
  const response = await fetch(`${server.url}/agents/top/ag-ui`, posted(body));
  return { status: response.status, body: await response.text() };
}

/** A request that says hello in a thread, as far as it is not told otherwise. */
const posted = (body: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ threadId: 'thread', runId: 'r', messages: hello, ...body }),
});

const AnyMessage = v.custom<Message>((value) => typeof value === 'object');
const hello: Message[] = [{ id: 'm1', role: 'user', content: 'hello' }];
const user = (text: string) => ({ role: 'user', text });
const assistant = (text: string) => ({ role: 'assistant', text, calls: [] });
const counting: Role = ({ turn }) => `answer ${turn}`;

async function runsOf({ get }: Served) {
  const { body } = await get('/runs');
  return Array.isArray(body['runs']) ? body['runs'] : [];
}

test('an image comes with any message of a thread', async () => {
  const served = await serveAgents({ top: counting });
  const { agent, say, said } = clientOf(served);
  const bytes = png(40, 30);
  const image = {
    type: 'image',
    source: { type: 'data', value: bytes.toString('base64'), mimeType: 'image/png' },
  };
  const parts = [{ type: 'text', text: 'What is this?' }, image];
  agent.addMessage(v.parse(AnyMessage, { id: 'm0', role: 'user', content: parts }));
  await agent.runAgent();
  const attachments = [
    { hash: hashOf(bytes), type: 'image/png', bytes: bytes.length, width: 40, height: 30 },
  ];
  expect(served.stage.asked.at(-1)?.request.messages).toEqual([{ ...user('What is this?'), attachments }]);
  // It is sent again with each request, as the messages are, and the thread goes on.
  expect((await say('and now?')).events).toEqual(ONE_TURN);
  expect(said().at(-1)).toBe('answer 2');
  const again = [
    { id: 'a', role: 'user', content: 'hi' },
    { id: 'b', role: 'user', content: [image] },
  ];
  expect((await answerTo(served, { threadId: 'other', messages: again.slice(0, 1) })).status).toBe(200);
  expect((await answerTo(served, { threadId: 'other', messages: again })).status).toBe(200);
  expect(served.stage.asked.at(-1)?.request.messages.at(-1)).toEqual({ ...user(''), attachments });
  const other = { ...image, source: { ...image.source, value: png(41, 30).toString('base64') } };
  const changed = [again[0], { id: 'b', role: 'user', content: [other] }];
  expect((await answerTo(served, { threadId: 'other', messages: changed })).status).toBe(409);
  // Larger than a text may be.
  const large = { ...image, source: { ...image.source, value: png(40, 30, 1_000_000).toString('base64') } };
  const third = [...again, { id: 'c', role: 'user', content: [large] }];
  expect((await answerTo(served, { threadId: 'other', messages: third })).status).toBe(200);
  const broken = { ...image, source: { ...image.source, value: 'AAAA' } };
  const refused = await answerTo(served, {
    threadId: 'third',
    messages: [{ id: 'a', role: 'user', content: [broken] }],
  });
  expect([refused.status, JSON.parse(refused.body).detail]).toEqual([
    400,
    expect.stringMatching(/^messages\.0\.content /),
  ]);
});

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

test('a thread goes on after a restart of the server', async () => {
  const first = await serveAgents({ top: counting });
  const before = clientOf(first);
  await before.say('one');
  await first.server.close();
  const second = await serveAgentsIn(first.stage.cwd, { top: counting });
  const after = clientOf(second, 'thread', before.agent.messages);
  await after.say('two');
  expect(after.said()).toEqual(['one', 'answer 1', 'two', 'answer 2']);
  expect(await runsOf(second)).toHaveLength(1);
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

test('a text that a hook puts before a person is an interrupt of no call, and then the answer', async () => {
  const { url } = await hookServer(() => ({ decision: 'ask' }));
  const hooks = hookTables({ check: 'on = "before_answer"' });
  const served = await serveAgents({ top: () => 'done' }, { top: hooks }, {}, wallClock, {
    lambdaEndpoint: url,
  });
  const { run, say, said } = clientOf(served);
  const { interrupts } = await say('go');
  expect(interrupts).toEqual([
    {
      id: expect.stringMatching(/-t1c0$/),
      reason: 'approval',
      message: 'Allow the answer: done? (hook "check")',
      responseSchema: { anyOf: [{ enum: ['approve', 'deny'] }, { type: 'string' }] },
      metadata: expect.objectContaining({ tool: 'answer', arguments: { text: 'done' } }),
    },
  ]);
  expect(said()).toEqual(['go']);
  const { events } = await run([
    { interruptId: `${interrupts[0]?.id}`, status: 'resolved', payload: 'approve' },
  ]);
  expect(events.at(-1)).toBe('RUN_FINISHED');
  expect(said()).toEqual(['go', 'done']);
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

test('a client that aborts stops the run, and its next message goes on with it', async () => {
  const atWork = latch();
  const served = await serveAgents({
    top(asked) {
      if (asked.turn > 1 || served.stage.asked.length > 1) return 'well';
      atWork.open();
      return silence(asked);
    },
  });
  const { agent, say, said } = clientOf(served);
  const saying = say('one');
  await atWork.opened;
  agent.abortRun();
  await saying;
  await say('two');
  expect(said()).toEqual(['one', 'two', 'well']);
  expect(served.stage.asked.at(-1)?.request.messages).toEqual([user('one'), user('two')]);
  expect(await runsOf(served)).toMatchObject([{ status: 'succeeded' }]);
});

test('a client that aborts does not stop what another request of its thread waits for', async () => {
  const [atWork, goesOn] = [latch(), latch()];
  const served = await serveAgents({
    async top() {
      atWork.open();
      await goesOn.opened;
      return 'well';
    },
  });
  const [leaving, staying] = [clientOf(served), clientOf(served)];
  const left = leaving.say('one');
  await atWork.opened;
  const stayed = staying.say('one');
  const begun = () => served.requests.filter((line) => line.includes('/ag-ui 200'));
  await expect.poll(begun).toHaveLength(2);
  leaving.agent.abortRun();
  await left;
  // Time enough for the server to hear that it has left.
  for (let looks = 0; looks < 5; looks++) {
    expect(await runsOf(served)).toMatchObject([{ status: 'running' }]);
  }
  goesOn.open();
  await stayed;
  expect(staying.said()).toEqual(['one', 'well']);
});

test('of two requests at once, one is at work and the other is told so', async () => {
  const goesOn = latch();
  const served = await serveAgents({
    async top({ turn }) {
      await goesOn.opened;
      return `answer ${turn}`;
    },
  });
  const both = (content: string[], before: Message[] = []) =>
    content.map((each) =>
      answerTo(served, { messages: [...before, { id: each, role: 'user', content: each }] }),
    );
  const begun = both(['one', 'two']);
  expect((await Promise.race(begun)).status).toBe(409);
  goesOn.open();
  const statuses = (await Promise.all(begun)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  const [{ request } = expect.fail()] = served.stage.asked;
  const [first] = request.messages;
  const before: Message[] = [
    { id: 'm', role: 'user', content: first?.role === 'user' ? first.text : expect.fail() },
  ];
  const written = await Promise.all(both(['three', 'four'], before));
  expect(new Set(written.map(({ status }) => status))).toEqual(new Set([200, 409]));
  expect(served.stage.asked).toHaveLength(2);
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

test('a run that fails is an error, and is resumed by the same messages', async () => {
  let isBroken = true;
  const served = await serveAgents({
    top() {
      if (isBroken) throw new Error('the model is on fire');
      return 'well';
    },
  });
  const { run, say, said } = clientOf(served);
  expect((await say('one')).events.at(-1)).toBe('RUN_ERROR');
  isBroken = false;
  await run();
  expect(said()).toEqual(['one', 'well']);
  expect(served.stage.asked.at(-1)?.request.messages).toEqual([user('one')]);
});

test.each([
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
])('what cannot be honoured is refused by name: %j', async (body, detail) => {
  const served = await serveAgents({ top: () => 'so' });
  const answer = await answerTo(served, body);
  expect([answer.status, JSON.parse(answer.body).detail]).toEqual([400, detail]);
  expect(served.stage.asked).toEqual([]);
  const nothing = [...hello, { id: 'm2', role: 'assistant', content: null, toolCalls: null }, ...hello];
  const nulls = { messages: nothing, resume: null, tools: null, context: null, state: null };
  expect((await answerTo(served, { threadId: 'other', ...nulls })).status).toBe(200);
  const sent = { state: { a: 1 }, tools: [], context: [], forwardedProps: { b: 2 }, parentRunId: 'p' };
  expect((await answerTo(served, sent)).status).toBe(200);
});

test('an agent that is not there is not found', async () => {
  const { post } = await serveAgents({ top: () => 'so' });
  const json = { threadId: 't', runId: 'r', messages: hello };
  expect((await post('/agents/pot/ag-ui', { json })).status).toBe(404);
});

test('each owner has threads of their own, and deployed answers that do not stream are refused', async () => {
  const { context, cwd, pipeline } = await contextOf({ top: counting });
  const ask = (sub: string | undefined, streams = true) => {
    const authorizer = sub === undefined ? {} : { jwt: { claims: { sub } } };
    const event = { requestContext: { authorizer } };
    return createApi({ ...context, openings: openingsIn(cwd), streams }).request(
      '/agents/top/ag-ui',
      posted(),
      { event },
    );
  };
  for (const sub of ['ada', 'bob', undefined]) {
    const answer = await ask(sub);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('answer 1');
  }
  const owners: unknown[] = [];
  for await (const { owner } of pipeline.store.roots(10)) owners.push(owner);
  expect(owners).toEqual([undefined, 'bob', 'ada']);
  const refused = await ask('ada', false);
  expect([refused.status, await refused.json()]).toMatchObject([
    501,
    { detail: expect.stringContaining('"doors": true') },
  ]);
});

test('the doors of an environment speak it, and leave a run that outlasts a request at work', async () => {
  const goesOn = latch();
  const { context } = await contextOf({
    async top() {
      await goesOn.opened;
      return 'at last';
    },
  });
  const doors = createDoors({ ...context, answerSeconds: 0.05 });
  const ask = async () => {
    const response = await doors.request('/agents/top/ag-ui', posted());
    return response.text();
  };
  expect(await ask()).toContain('"code":"run_unfinished"');
  goesOn.open();
  for await (const { id } of context.environment.records.roots(1)) await context.environment.ended(id);
  expect(JSON.parse(await ask()).detail).toMatch(/nothing new/);
});

import type { Message } from '@ag-ui/client';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { hashOf } from '../../../src/core/attachments/to-attachment.ts';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { createApi } from '../../../src/doors/api/api.ts';
import { createDoors } from '../../../src/doors/api/doors.ts';
import { hookServer, hookTables } from '../../fixtures/hook-server.ts';
import { png } from '../../fixtures/images.ts';
import { latch, silence } from '../../fixtures/stage.ts';
import { contextOf, ONE_TURN, serveAgents, serveAgentsIn, wallClock } from './served-agents.ts';
import { clientOf, answerTo, posted, AnyMessage, hello, user, counting, runsOf } from './ag-ui-client.ts';

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

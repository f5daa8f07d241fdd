import { AgentCard, Role, TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { Run } from '../../../src/core/records/run.ts';
import { createA2a } from '../../../src/doors/api/a2a/a2a.ts';
import { toAttachment } from '../../../src/core/attachments/to-attachment.ts';
import { ask, assembled, clientOf, say, send } from '../../fixtures/a2a-client.ts';
import { png } from '../../fixtures/images.ts';
import { call, latch, silence, use, type Asked } from '../../fixtures/stage.ts';
import { contextOf, serveAgents } from './served-agents.ts';

/** What a test compares: the words, and not the times and ids. */
function shown({ status, artifacts, history }: Task) {
  const words = (parts: Message['parts']) => parts.map(({ content }) => content?.value);
  return {
    state: status === undefined ? undefined : TaskState[status.state],
    says: status?.message && words(status.message.parts),
    artifacts: artifacts.map(({ name, parts }) => [name, ...words(parts)]),
    history: history.map(({ role, parts }) => [Role[role], ...words(parts)]),
  };
}

test('a client finds an agent by its card, has a task done, and goes on in its context with one after another', async () => {
  const { server } = await serveAgents(
    {
      top: ({ turn, results, told }: Asked) =>
        turn === 1 ? { text: 'let me ask', calls: [call('kid', 'look')] } : `done: ${results.join() || told}`,
      kid: () => 'seen',
    },
    { top: 'sub_agents = ["kid"]\ndescription = "Looks at things"\n' },
  );
  const client = await clientOf(server.url, 'top');
  const card = await client.getAgentCard();
  expect(card).toMatchObject({
    name: 'top',
    description: 'Looks at things',
    supportedInterfaces: [
      { url: `${server.url}/a2a/top`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${server.url}/a2a/top`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'top', description: 'Looks at things' }],
  });
  const root = await fetch(`${server.url}/.well-known/agent-card.json`, {
    headers: { 'a2a-version': '1.0' },
  });
  expect(await root.json()).toEqual(JSON.parse(JSON.stringify(AgentCard.toJSON(card))));

  const message = say('go');
  const first = await send(client, message);
  expect(shown(first)).toEqual({
    state: 'TASK_STATE_COMPLETED',
    says: undefined,
    artifacts: [['answer', 'done: seen']],
    history: [
      ['ROLE_USER', 'go'],
      ['ROLE_AGENT', 'let me ask'],
    ],
  });
  expect(first.contextId).toBe(first.id);
  // A repetition after an answer that was lost.
  expect(await send(client, message)).toEqual(first);

  const next = say('and now?', { contextId: first.contextId });
  const second = await send(client, next);
  expect(second.contextId).toBe(first.contextId);
  expect(second.id).not.toBe(first.id);
  expect(shown(second)).toMatchObject({
    state: 'TASK_STATE_COMPLETED',
    history: [['ROLE_USER', 'and now?']],
  });
  expect(await send(client, next)).toEqual(second);
  expect(await client.getTask({ tenant: '', id: first.id })).toEqual(first);
  expect(await client.getTask({ tenant: '', id: second.id, historyLength: 0 })).toEqual({
    ...second,
    history: [],
  });
  await expect(client.sendMessage(ask(say('more', { taskId: first.id })))).rejects.toThrow(
    `task "${first.id}" is over: leave taskId out, and its context goes on with a task of its own`,
  );
  await expect(client.cancelTask({ tenant: '', id: second.id, metadata: undefined })).rejects.toThrow(
    'is over',
  );

  const listed = await client.listTasks({ ...LIST, contextId: first.contextId, includeArtifacts: true });
  expect(listed).toEqual({ tasks: [second, first], nextPageToken: '', pageSize: 50, totalSize: 2 });
  const other = await send(client, say('go'));
  expect((await client.listTasks(LIST)).tasks.map(({ id }) => id)).toEqual([other.id, second.id, first.id]);
});

const LIST = {
  tenant: '',
  contextId: '',
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
};

test('a task that is over stays as it is while its run goes on for a message of another door', async () => {
  const [asked, goesOn] = [latch(), latch()];
  const { server, post, get } = await serveAgents({
    async top({ told }: Asked) {
      if (told === 'go') return 'done';
      asked.open();
      await goesOn.opened;
      return `done: ${told}`;
    },
  });
  const client = await clientOf(server.url, 'top');
  const message = say('go');
  const task = await send(client, message);
  await post(`/runs/${task.id}/messages`, { json: { text: 'and more' } });
  await asked.opened;
  const now = () => client.getTask({ tenant: '', id: task.id });
  expect(await now()).toEqual(task);
  // A repetition waits for nothing that is not of the task.
  expect(await send(client, message)).toEqual(task);
  const told: StreamResponse[] = [];
  for await (const event of client.sendMessageStream(ask(message))) told.push(event);
  expect(told.map(({ payload }) => payload?.$case)).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  await expect(client.cancelTask({ tenant: '', id: task.id, metadata: {} })).rejects.toThrow('is over');
  goesOn.open();
  expect((await get(`/runs/${task.id}/result?wait=25`)).body).toMatchObject({ content: 'done: and more' });
  expect(await now()).toEqual(task);
  expect(shown(await send(client, say('last', { contextId: task.contextId })))).toMatchObject({
    artifacts: [['answer', 'done: last']],
    history: [['ROLE_USER', 'last']],
  });
  expect(await now()).toEqual(task);
});

test.each([
  ['failed', 'resume', {}],
  ['failed', 'messages', { text: 'and more' }],
  ['was cancelled', 'resume', {}],
  ['was cancelled', 'messages', { text: 'and more' }],
] as const)('a task that %s stays so when its run goes on by %s', async (how, door, json) => {
  const [begun, asked, goesOn] = [latch(), latch(), latch()];
  let times = 0;
  const { server, post, get } = await serveAgents({
    async top(request: Asked) {
      times += 1;
      if (times > 1) {
        asked.open();
        await goesOn.opened;
        return `done: ${request.told}`;
      }
      begun.open();
      if (how === 'failed') throw new Error('broken');
      return silence(request);
    },
  });
  const client = await clientOf(server.url, 'top');
  let task = await send(client, say('go'), { returnImmediately: how === 'was cancelled' });
  const of = { tenant: '', id: task.id, metadata: undefined };
  await begun.opened;
  if (how === 'was cancelled') task = await client.cancelTask(of);
  expect(shown(task)).toEqual({
    state: how === 'failed' ? 'TASK_STATE_FAILED' : 'TASK_STATE_CANCELED',
    says: [how === 'failed' ? 'broken' : 'its client cancelled the task'],
    artifacts: [],
    history: [['ROLE_USER', 'go']],
  });
  await post(`/runs/${task.id}/${door}`, { json });
  await asked.opened;
  const now = () => client.getTask({ tenant: '', id: task.id });
  expect(await now()).toEqual(task);
  await expect(client.cancelTask(of)).rejects.toThrow('is over');
  const more = client.sendMessage(ask(say('more', { taskId: task.id })));
  await expect(more).rejects.toThrow(`task "${task.id}" is over`);
  goesOn.open();
  expect((await get(`/runs/${task.id}/result?wait=25`)).body).toMatchObject({ status: 'succeeded' });
  expect(await now()).toEqual(task);
  const next = await send(client, say('last', { contextId: task.contextId }));
  expect(shown(next)).toMatchObject({
    state: 'TASK_STATE_COMPLETED',
    artifacts: [['answer', 'done: last']],
    history: [['ROLE_USER', 'last']],
  });
  const { tasks } = await client.listTasks({ ...LIST, includeArtifacts: true });
  expect(tasks).toEqual([next, task]);
});

test('a task whose answer was cut stays so when its run goes on', async () => {
  const { server, post, get } = await serveAgents({
    top: ({ told }: Asked) =>
      told === 'go' ? { text: 'so far', stopReason: 'max_tokens' as const } : `done: ${told}`,
  });
  const client = await clientOf(server.url, 'top');
  const task = await send(client, say('go'));
  expect(shown(task)).toEqual({
    state: 'TASK_STATE_COMPLETED',
    says: ['the answer was cut at its limit of tokens'],
    artifacts: [['answer', 'so far']],
    history: [['ROLE_USER', 'go']],
  });
  await post(`/runs/${task.id}/messages`, { json: { text: 'and more' } });
  expect((await get(`/runs/${task.id}/result?wait=25`)).body).toMatchObject({ content: 'done: and more' });
  expect(await client.getTask({ tenant: '', id: task.id })).toEqual(task);
});

test('a task that has just begun is the newest of its context, and of those that changed since the one before', async () => {
  const [asked, goesOn] = [latch(), latch()];
  const { server } = await serveAgents({
    async top({ told }: Asked) {
      if (told === 'go') return 'done';
      asked.open();
      await goesOn.opened;
      return 'done';
    },
  });
  const client = await clientOf(server.url, 'top');
  const { contextId, status } = await send(client, say('go'));
  const next = await send(client, say('more', { contextId }), { returnImmediately: true });
  await asked.opened;
  const since = { ...LIST, statusTimestampAfter: status?.timestamp };
  expect((await client.listTasks(since)).tasks[0]?.id).toBe(next.id);
  goesOn.open();
});

test('images go with the first message of a context and with later ones, but not with an answer', async () => {
  const { server, stage } = await serveAgents(
    {
      top: ({ turn }: Asked) => (turn === 2 ? [use('ask_user', { question: 'Which one?' })] : `turn ${turn}`),
    },
    { top: 'tools = ["ask_user"]\n' },
  );
  const client = await clientOf(server.url, 'top');
  const chart = png(12, 8);
  const image = {
    content: { $case: 'raw' as const, value: chart },
    mediaType: 'image/png',
    filename: '',
    metadata: undefined,
  };
  const first = await send(client, say('', { parts: [image] }));
  expect(shown(first)).toMatchObject({ state: 'TASK_STATE_COMPLETED', artifacts: [['answer', 'turn 1']] });
  const second = await send(client, say('', { parts: [image], contextId: first.contextId }));
  const { attachment } = toAttachment(chart);
  expect(stage.asked.map(({ request }) => request.messages.at(-1))).toMatchObject([
    { role: 'user', attachments: [attachment] },
    { role: 'user', attachments: [attachment] },
  ]);
  await expect(client.sendMessage(ask(say('', { parts: [image], taskId: second.id })))).rejects.toThrow(
    'an answer to a question has no files',
  );
});

test('a question of an agent is input that its task requires, and the next message about it the answer', async () => {
  const { server } = await serveAgents(
    {
      top: ({ turn, results }: Asked) =>
        turn === 1 ? [use('ask_user', { question: 'Which one?', choices: ['red', 'blue'] })] : results.join(),
    },
    { top: 'tools = ["ask_user"]\ntimeout = 60\n' },
  );
  const client = await clientOf(server.url, 'top');
  const asking = await send(client, say('go', { contextId: 'my own' }));
  expect(asking.contextId).toBe('my own');
  expect(shown(asking)).toMatchObject({
    state: 'TASK_STATE_INPUT_REQUIRED',
    says: ['Which one?', { question_id: 't1c1', run_id: asking.id, choices: ['red', 'blue'] }],
    artifacts: [],
  });
  const answered = await send(client, say('blue', { taskId: asking.id, contextId: 'my own' }));
  expect(shown(answered)).toMatchObject({ state: 'TASK_STATE_COMPLETED', artifacts: [['answer', 'blue']] });
});

test('an answer that comes again answers no other question', async () => {
  const { server } = await serveAgents(
    {
      top: ({ turn, results }: Asked) =>
        turn < 3 ? [use('ask_user', { question: `Question ${turn}` })] : results.join(),
    },
    { top: 'tools = ["ask_user"]\ntimeout = 60\n' },
  );
  const client = await clientOf(server.url, 'top');
  const { id: taskId } = await send(client, say('go'));
  const yes = say('yes', { taskId });
  const next = { state: 'TASK_STATE_INPUT_REQUIRED', says: ['Question 2', { question_id: 't2c1' }] };
  expect(shown(await send(client, yes))).toMatchObject(next);
  expect(shown(await send(client, yes))).toMatchObject(next);
  const end = await send(client, say('no', { taskId }));
  expect(shown(end)).toMatchObject({ state: 'TASK_STATE_COMPLETED', artifacts: [['answer', 'no']] });
  expect(await send(client, yes)).toEqual(end);
});

test('a task streams what its agent says on the way and its end, goes on without its client, and can be cancelled', async () => {
  const isSeen = latch();
  const { server } = await serveAgents(
    {
      async top({ turn }) {
        if (turn === 1) return { text: 'let me see', calls: [use('read_file', { path: 'f' })] };
        await isSeen.opened;
        return 'done';
      },
    },
    { top: 'tools = ["read_file"]\n' },
    { f: 'a line\n' },
  );
  const client = await clientOf(server.url, 'top');
  const told: StreamResponse[] = [];
  for await (const event of client.sendMessageStream(ask(say('go')))) {
    told.push(event);
    if (event.payload?.$case === 'statusUpdate') break;
  }
  const [begun] = told;
  if (begun?.payload?.$case !== 'task') throw new Error('no task');
  const { id } = begun.payload.value;
  isSeen.open();
  const rest: StreamResponse[] = [];
  try {
    for await (const event of client.resubscribeTask({ tenant: '', id })) rest.push(event);
  } catch {
    // It was over by then.
  }
  await expect
    .poll(async () => shown(await client.getTask({ tenant: '', id })))
    .toMatchObject({ state: 'TASK_STATE_COMPLETED', artifacts: [['answer', 'done']] });
  const waits = await serveAgents({ top: () => new Promise(() => {}) });
  const other = await clientOf(waits.server.url, 'top');
  const working = await send(other, say('go'), { returnImmediately: true });
  expect(shown(working).state).toMatch(/WORKING|SUBMITTED/);
  const ended = await other.cancelTask({ tenant: '', id: working.id, metadata: undefined });
  expect(shown(ended)).toMatchObject({
    state: 'TASK_STATE_CANCELED',
    says: ['its client cancelled the task'],
  });
});

test('an answer streams while it is written, and its pieces are the whole', async () => {
  const hasWritten = latch();
  const { server } = await serveAgents(
    {
      async top({ turn, onDelta }) {
        const write = (text: string) => onDelta?.({ type: 'text', text });
        write('let me ');
        if (turn === 1) return { text: 'let me see', calls: [use('read_file', { path: 'f' })] };
        await hasWritten.opened;
        write('say: ');
        write('it is ');
        return 'let me say: it is a line';
      },
    },
    { top: 'tools = ["read_file"]\n' },
    { f: 'a line\n' },
  );
  const client = await clientOf(server.url, 'top');
  const told: StreamResponse[] = [];
  for await (const event of client.sendMessageStream(ask(say('go')))) {
    told.push(event);
    // It came before the turn had ended.
    if (assembled(told)[0] === 'let me ') hasWritten.open();
  }
  expect(assembled(told)).toEqual(['let me say: it is a line']);
  const states = told.map(({ payload }) =>
    payload?.$case === 'artifactUpdate'
      ? [payload.value.append, payload.value.lastChunk, payload.value.artifact?.parts[0]?.content?.value]
      : payload?.$case,
  );
  expect(states.filter((state) => Array.isArray(state) && state[1] === true)).toHaveLength(1);
  expect(states.at(-1)).toBe('statusUpdate');
});

test('a value comes whole', async () => {
  const { server } = await serveAgents(
    {
      top({ onDelta }) {
        onDelta?.({ type: 'text', text: '{"n":' });
        return '{"n":7}';
      },
    },
    {
      top: '[output]\nschema = { type = "object", required = ["n"], properties = { n = { type = "integer" } } }\n',
    },
  );
  const client = await clientOf(server.url, 'top');
  const told: StreamResponse[] = [];
  for await (const event of client.sendMessageStream(ask(say('go')))) told.push(event);
  expect(told.map(({ payload }) => payload?.$case)).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  expect(told[1]?.payload).toMatchObject({
    value: {
      append: false,
      lastChunk: true,
      artifact: { parts: [{ content: { $case: 'data', value: { n: 7 } } }] },
    },
  });
});

const Answered = v.looseObject({
  result: v.optional(
    v.object({
      task: v.object({ id: v.string(), artifacts: v.array(v.object({ parts: v.array(v.unknown()) })) }),
    }),
  ),
});

test('what a client cannot have is refused with the errors of the protocol', async () => {
  const { server, post } = await serveAgents({ top: () => 'x', kid: () => 'y' });
  const rpc = async (agent: string, method: string, params: unknown, version = '1.0') => {
    const response = await fetch(`${server.url}/a2a/${agent}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': version },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
    return v.parse(Answered, await response.json());
  };
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] };
  expect(await rpc('top', 'GetTask', { id: 'top-x' })).toMatchObject({ id: 7, error: { code: -32001 } });
  expect(await rpc('nobody', 'SendMessage', { message })).toMatchObject({ error: { code: -32001 } });
  expect(await rpc('top', 'SendMessage', { message }, '9.9')).toMatchObject({ error: { code: -32009 } });
  expect(await rpc('top', 'Nothing', {})).toMatchObject({ error: { code: -32601 } });
  expect(await rpc('top', 'SendMessage', { message: { ...message, parts: [] } })).toMatchObject({
    error: { message: 'message.parts say nothing' },
  });
  expect(
    await rpc('top', 'SendMessage', { message: { ...message, parts: [{ url: 'http://x' }] } }),
  ).toMatchObject({
    error: { code: -32005 },
  });
  // As long as a message with files may be, which it only seems to be.
  const long = { text: 'a'.repeat(2 ** 20 + 1), metadata: { raw: '' } };
  expect(await rpc('top', 'SendMessage', { message: { ...message, parts: [long] } })).toMatchObject({
    error: { message: 'message.parts must have at most 1048576 characters of text' },
  });
  let deep: unknown[] = [];
  for (let level = 0; level < 1_000; level++) deep = [deep];
  expect(await rpc('top', 'SendMessage', { message: { ...message, parts: [{ data: deep }] } })).toMatchObject(
    { error: { message: 'message.parts.0 is nested too deeply' } },
  );
  // A run that no client of the protocol has begun.
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  expect(await rpc('top', 'GetTask', { id: body['run_id'] })).toMatchObject({ error: { code: -32001 } });
  // A task of another agent.
  const { result } = await rpc('kid', 'SendMessage', { message });
  expect(result?.task.artifacts[0]?.parts).toEqual([{ text: 'y', mediaType: 'text/plain' }]);
  expect(await rpc('top', 'GetTask', { id: result?.task.id })).toMatchObject({ error: { code: -32001 } });
  const root = await fetch(`${server.url}/.well-known/agent-card.json`);
  expect(root.status).toBe(404);
  expect(await root.json()).toMatchObject({
    detail:
      'the server has no card of its own: each agent has one: /a2a/kid/.well-known/agent-card.json, /a2a/top/.well-known/agent-card.json',
  });
});

test('a message for which the agent is still to be woken is a task that is submitted, and none that is over', async () => {
  const { context } = await contextOf({
    top: ({ turn }: Asked) => (turn === 1 ? 'one' : new Promise(() => {})),
  });
  const { environment } = context;
  // As an account shows it: the control function has not been called yet.
  const ended = async (id: string): Promise<Run> => {
    const run = await environment.ended(id, { signal: AbortSignal.abort() });
    return run.hasMail === true ? { ...run, status: 'succeeded' } : environment.ended(id);
  };
  const app = createA2a({ ...context, environment: { ...environment, ended } });
  const send = async (contextId: string, returnImmediately: boolean) => {
    const part = { text: 'go' };
    const params = {
      message: { messageId: `m${contextId}`, role: 'ROLE_USER', parts: [part], contextId },
      configuration: { returnImmediately },
    };
    const response = await app.request('/a2a/top', {
      method: 'POST',
      headers: { 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params }),
    });
    return v.parse(Submitted, await response.json()).result.task;
  };
  const first = await send('', false);
  expect(first).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
  expect(await send(first.contextId, true)).toMatchObject({ status: { state: 'TASK_STATE_SUBMITTED' } });
});

test.each([
  ['with a file', '1.0', 'SendMessage', { raw: 'eA==', mediaType: 'text/plain' }, 200],
  ['with a file of version 0.3', '0.3', 'message/send', { kind: 'file', file: { bytes: 'eA==' } }, 200],
  ['with text alone', '1.0', 'SendMessage', { text: 'go' }, 413],
])('a message %s may be longer than a prompt, or not', async (_, version, method, part, status) => {
  const { context } = await contextOf({ top: () => 'x' });
  const parts = [part, { kind: 'text', text: 'x'.repeat(1024 ** 2) }];
  const message = { kind: 'message', messageId: 'm', role: version === '1.0' ? 'ROLE_USER' : 'user', parts };
  const response = await createA2a(context).request('/a2a/top', {
    method: 'POST',
    headers: { 'a2a-version': version },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { message } }),
  });
  expect(response.status).toBe(status);
});

test('the only agent that is no sub-agent has the card of the server, whatever it is for clients of MCP', async () => {
  const { context } = await contextOf(
    { top: () => 'x', kid: () => 'y' },
    { top: 'sub_agents = ["kid"]\n[serve]\nmcp = false\n', kid: '[serve]\nmcp = true\n' },
  );
  const card = await createA2a(context).request('/.well-known/agent-card.json');
  expect(await card.json()).toMatchObject({ name: 'top' });
});

const Submitted = v.object({
  result: v.object({ task: v.looseObject({ contextId: v.string() }) }),
});

const LegacyCard = v.looseObject({ url: v.string() });

test('a client of version 0.3 is served as that has it', async () => {
  const { server } = await serveAgents({ top: () => 'x' });
  const path = '/a2a/top/.well-known/agent-card.json';
  const card = v.parse(LegacyCard, await (await fetch(server.url + path)).json());
  expect(card).toMatchObject({
    protocolVersion: '0.3.0',
    url: `${server.url}/a2a/top`,
    preferredTransport: 'JSONRPC',
  });
  const response = await fetch(card.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'a',
      method: 'message/send',
      params: {
        message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'go' }] },
      },
    }),
  });
  expect(await response.json()).toMatchObject({
    id: 'a',
    result: {
      kind: 'task',
      status: { state: 'completed' },
      artifacts: [{ name: 'answer', parts: [{ kind: 'text', text: 'x' }] }],
    },
  });
});

import { Role, TaskState, type StreamResponse } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import * as v from 'valibot';
import { messageOf } from '../../../src/errors.ts';
import { ask, clientOf, say, send } from '../../fixtures/a2a-client.ts';
import { latch, use, type Asked } from '../../fixtures/stage.ts';
import { serveAgents } from './served-agents.ts';

/**
 * The requirements of the specification of Agent2Agent, version 1.0, for servers that speak JSON-RPC: the section, what a
 * server must do, and what shows it. https://a2a-protocol.org/v1.0.0/specification
 */
type Requirement = [section: string, must: string, shows: () => unknown];

async function hold(requirements: readonly Requirement[]): Promise<void> {
  const broken: string[] = [];
  for (const [section, must, shows] of requirements) {
    try {
      await shows();
    } catch (thrown) {
      broken.push(`${section}: ${must}: ${messageOf(thrown)}`);
    }
  }
  expect(broken).toEqual([]);
}

const Reply = v.looseObject({
  jsonrpc: v.literal('2.0'),
  id: v.nullable(v.union([v.string(), v.number()])),
  result: v.optional(v.unknown()),
  error: v.optional(
    v.looseObject({ code: v.number(), message: v.string(), data: v.optional(v.array(v.unknown())) }),
  ),
});

const ERRORS = {
  TaskNotFound: -32001,
  TaskNotCancelable: -32002,
  PushNotificationNotSupported: -32003,
  UnsupportedOperation: -32004,
  ContentTypeNotSupported: -32005,
  VersionNotSupported: -32009,
  InvalidParams: -32602,
  MethodNotFound: -32601,
  InvalidRequest: -32600,
  ParseError: -32700,
};

/** An agent that does as it is told: asks, fails, goes on without end, or says how often it has been told. */
const top = ({ turn, told, message }: Asked) => {
  const text = told === '' ? message : told;
  if (text === 'wait') return new Promise<string>(() => {});
  if (text === 'ask' && turn === 1) return [use('ask_user', { question: 'Which one?' })];
  if (text === 'fail') throw new Error('broken');
  return `answer ${turn}`;
};

async function serveTop(role: (asked: Asked) => ReturnType<typeof top> = top) {
  const { server } = await serveAgents({ top: role }, { top: 'tools = ["ask_user"]\ntimeout = 60\n' });
  const client = await clientOf(server.url, 'top');
  const ofAgent = `${server.url}/a2a/top`;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(ofAgent, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const reply = async (body: unknown, headers?: Record<string, string>) =>
    v.parse(Reply, await (await post(body, headers)).json());
  const call = (method: string, params: object, headers?: Record<string, string>) =>
    reply({ jsonrpc: '2.0', id: 7, method, params }, headers);
  const refused = async (method: string, params: object, error: keyof typeof ERRORS) =>
    expect((await call(method, params)).error?.code).toBe(ERRORS[error]);
  return { server, client, ofAgent, post, reply, call, refused };
}

const message = (text: string, at: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...at },
});

test('messages and tasks', async () => {
  const { client, refused, call } = await serveTop();
  const done = await send(client, say('go'));
  const asking = await send(client, say('ask'));
  const working = await send(client, say('wait'), { returnImmediately: true });
  const part = (given: object) => message('', { parts: [given] });
  const unknown = { id: 'top-00000000000000' };
  await hold([
    ['3.1.1', 'a message is answered with a task or a message', () => expect(done.id).not.toBe('')],
    [
      '3.1.1',
      'a message to a task that is over is refused',
      () => refused('SendMessage', message('go', { taskId: done.id }), 'UnsupportedOperation'),
    ],
    [
      '3.1.1',
      'a media type that is not supported is refused',
      () =>
        refused(
          'SendMessage',
          part({ raw: 'dGNr', mediaType: 'application/x-a' }),
          'ContentTypeNotSupported',
        ),
    ],
    [
      '3.1.3',
      'a task is told as it is',
      async () => expect(await client.getTask({ tenant: '', id: done.id })).toEqual(done),
    ],
    ['3.1.3', 'a task that is none is not found', () => refused('GetTask', unknown, 'TaskNotFound')],
    ['3.1.5', 'nor can it be cancelled', () => refused('CancelTask', unknown, 'TaskNotFound')],
    [
      '3.1.5',
      'a task that is over cannot be cancelled',
      () => refused('CancelTask', { id: done.id }, 'TaskNotCancelable'),
    ],
    [
      '3.1.5',
      'one that is cancelled says so',
      async () => {
        const { status } = await client.cancelTask({ tenant: '', id: working.id, metadata: undefined });
        expect(status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      },
    ],
    [
      '3.2.2',
      'an answer waits for the end of its task, or for what it asks',
      () =>
        expect([done, asking].map(({ status }) => status?.state)).toEqual([
          TaskState.TASK_STATE_COMPLETED,
          TaskState.TASK_STATE_INPUT_REQUIRED,
        ]),
    ],
    [
      '3.2.2',
      'or for nothing, where the client wants that',
      () => expect(working.status?.state).not.toBe(TaskState.TASK_STATE_COMPLETED),
    ],
    [
      '3.2.4',
      'no more of the history is told than is asked for',
      async () => {
        expect((await client.getTask({ tenant: '', id: asking.id, historyLength: 0 })).history).toEqual([]);
        expect((await send(client, say('go'), { historyLength: 1 })).history).toHaveLength(1);
        const [first] = await streamed(client.sendMessageStream(ask(say('go'), { historyLength: 0 })));
        expect(first).toMatchObject({ payload: { $case: 'task', value: { history: [] } } });
      },
    ],
    [
      '3.3.2',
      'wrong parameters are refused',
      async () => {
        await refused('SendMessage', {}, 'InvalidParams');
        await refused('SendMessage', message('go', { messageId: '' }), 'InvalidParams');
        await refused('SendMessage', message('go', { parts: [] }), 'InvalidParams');
        await refused('SendMessage', message('go', { role: 'ROLE_UNSPECIFIED' }), 'InvalidParams');
        await refused('SendMessage', part({}), 'InvalidParams');
        await refused('GetTask', { id: done.id, historyLength: -1 }, 'InvalidParams');
        const tooFew = { ...message('go'), configuration: { historyLength: -1 } };
        await refused('SendMessage', tooFew, 'InvalidParams');
      },
    ],
    [
      '3.3.4',
      'what the card does not promise is refused',
      async () => {
        const push = { taskId: done.id, id: 'p', url: 'https://example.org' };
        const names = ['Create', 'Get', 'Delete'].map((verb) => `${verb}TaskPushNotificationConfig`);
        for (const name of [...names, 'ListTaskPushNotificationConfigs'])
          await refused(name, push, 'PushNotificationNotSupported');
        const configuration = { taskPushNotificationConfig: push };
        await refused('SendMessage', { ...message('go'), configuration }, 'PushNotificationNotSupported');
        await refused('GetExtendedAgentCard', {}, 'UnsupportedOperation');
      },
    ],
    ['3.4.1', 'a context of its own is told', () => expect(done.contextId).not.toBe('')],
    [
      '3.4.1',
      "a client's own name of a context is kept",
      async () => expect((await send(client, say('go', { contextId: 'mine' }))).contextId).toBe('mine'),
    ],
    [
      '3.4.2',
      'each task has an id of its own',
      async () => {
        const next = await send(client, say('go', { contextId: done.contextId }));
        expect([next.contextId, next.id === done.id]).toEqual([done.contextId, false]);
      },
    ],
    [
      '3.4.2',
      'a message about a task that is none is refused',
      () => refused('SendMessage', message('go', { taskId: unknown.id }), 'TaskNotFound'),
    ],
    [
      '3.4.3',
      'a message about a task of another context is refused',
      () =>
        refused(
          'SendMessage',
          message('red', { taskId: asking.id, contextId: done.contextId }),
          'InvalidParams',
        ),
    ],
    [
      '3.4.3',
      'the context of a task need not be named',
      async () => {
        const answered = await send(client, say('red', { taskId: asking.id }));
        expect([answered.contextId, answered.status?.state]).toEqual([
          asking.contextId,
          TaskState.TASK_STATE_COMPLETED,
        ]);
      },
    ],
    [
      '4.1.1',
      'a task that failed says why',
      async () => {
        const { status } = await send(client, say('fail'));
        expect([status?.state, status?.message?.role]).toEqual([
          TaskState.TASK_STATE_FAILED,
          Role.ROLE_AGENT,
        ]);
      },
    ],
    [
      '5.6',
      'times are of UTC, and names of states whole',
      async () =>
        expect(await call('GetTask', { id: done.id })).toMatchObject({
          result: {
            status: { state: 'TASK_STATE_COMPLETED', timestamp: expect.stringMatching(/T.+\.\d{3}Z$/) },
          },
        }),
    ],
  ]);
});

async function streamed(events: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** What an event says, without when. */
function saidIn({ payload }: StreamResponse) {
  if (payload?.$case === 'artifactUpdate') return payload.value.artifact?.parts;
  return payload?.$case === 'statusUpdate' ? payload.value.status?.state : payload?.$case;
}

async function nextOf(events: AsyncIterator<StreamResponse>): Promise<StreamResponse> {
  const next = await events.next();
  return next.done === true ? expect.fail('the stream is over') : next.value;
}

test('streams', async () => {
  const isSeen = latch();
  const { client, post, refused } = await serveTop(async ({ onDelta }) => {
    onDelta?.({ type: 'text', text: 'an ' });
    await isSeen.opened;
    return 'an answer';
  });
  const first = client.sendMessageStream(ask(say('go')));
  const begun = await nextOf(first);
  if (begun.payload?.$case !== 'task') throw new Error('no task');
  const { id } = begun.payload.value;
  const [second, third] = [
    client.resubscribeTask({ tenant: '', id }),
    client.resubscribeTask({ tenant: '', id }),
  ];
  const subscribed = [await nextOf(second), await nextOf(third)];
  await third.return(undefined);
  isSeen.open();
  const [one, other] = await Promise.all([streamed(first), streamed(second)]);
  const last = one.at(-1)?.payload;
  await hold([
    ['3.1.2', 'a stream begins with its task', () => expect(begun.payload?.$case).toBe('task')],
    [
      '3.1.2',
      'and ends with the end of that',
      () =>
        expect(last).toMatchObject({
          $case: 'statusUpdate',
          value: { taskId: id, status: { state: TaskState.TASK_STATE_COMPLETED } },
        }),
    ],
    [
      '3.1.6',
      'a subscription begins with the task as it is, and ends as it does',
      () => {
        expect(subscribed.map(({ payload }) => payload?.$case)).toEqual(['task', 'task']);
        expect(other.at(-1)?.payload).toEqual(last);
      },
    ],
    [
      '3.1.6',
      'there is none of a task that is over',
      () => refused('SubscribeToTask', { id }, 'UnsupportedOperation'),
    ],
    ['3.1.6', 'nor of none', () => refused('SubscribeToTask', { id: 'top-0' }, 'TaskNotFound')],
    [
      '3.5.2',
      'all streams of a task tell the same in the same order, also once one is closed',
      () => expect(other.map(saidIn)).toEqual(one.map(saidIn)),
    ],
    [
      '9.4.2',
      'each event is a response of JSON-RPC among server-sent events',
      async () => {
        const request = { jsonrpc: '2.0', id: 7, method: 'SendStreamingMessage', params: message('go') };
        const response = await post(request);
        expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
        const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
        expect(lines.length).toBeGreaterThan(1);
        for (const line of lines) {
          expect(v.parse(Reply, JSON.parse(line.slice(6)))).toMatchObject({ id: 7, result: {} });
        }
      },
    ],
  ]);
});

test('lists of tasks', async () => {
  const { client, call, refused } = await serveTop();
  const first = await send(client, say('go'));
  const second = await send(client, say('go'));
  const later = await send(client, say('more', { contextId: first.contextId }));
  const Page = v.looseObject({
    tasks: v.array(v.looseObject({ id: v.string() })),
    nextPageToken: v.string(),
    pageSize: v.number(),
    totalSize: v.number(),
  });
  const list = async (params: object) => v.parse(Page, (await call('ListTasks', params)).result);
  await hold([
    [
      '3.1.4',
      'those whose state changed last come first',
      async () => expect((await list({})).tasks.map(({ id }) => id)).toEqual([later.id, second.id, first.id]),
    ],
    [
      '3.1.4',
      'there is an empty token on the last page',
      async () => expect((await list({})).nextPageToken).toBe(''),
    ],
    [
      '3.1.4',
      'pages are found by tokens',
      async () => {
        const page = await list({ pageSize: 1 });
        const rest = await list({ pageSize: 1, pageToken: page.nextPageToken });
        expect([page, rest].map(({ tasks }) => tasks.map(({ id }) => id))).toEqual([
          [second.id],
          [later.id, first.id],
        ]);
      },
    ],
    [
      '3.1.4',
      'artifacts are left out, unless they are asked for',
      async () => {
        expect((await list({})).tasks[0]).not.toHaveProperty('artifacts');
        expect((await list({ includeArtifacts: true })).tasks[0]).toHaveProperty('artifacts');
      },
    ],
    [
      '3.1.4',
      'those of a context can be asked for, and those in a state',
      async () => {
        expect((await list({ contextId: second.contextId })).tasks.map(({ id }) => id)).toEqual([second.id]);
        expect((await list({ status: 'TASK_STATE_WORKING' })).tasks).toEqual([]);
      },
    ],
    [
      '3.3.2',
      'wrong parameters are refused',
      async () => {
        await refused('ListTasks', { pageSize: 0 }, 'InvalidParams');
        await refused('ListTasks', { pageSize: 101 }, 'InvalidParams');
        await refused('ListTasks', { status: 'completed' }, 'InvalidParams');
        await refused('ListTasks', { pageToken: '../x' }, 'InvalidParams');
        await refused('ListTasks', { historyLength: -1 }, 'InvalidParams');
        await refused('ListTasks', { statusTimestampAfter: 'yesterday' }, 'InvalidParams');
      },
    ],
  ]);
});

test('versions, cards, and the frame of JSON-RPC', async () => {
  const { server, client, ofAgent, post, reply, call } = await serveTop();
  const card = await client.getAgentCard();
  const codeOf = async (body: unknown, headers?: Record<string, string>) =>
    (await reply(body, headers)).error?.code;
  const request = { jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 'top-0' } };
  const legacy = {
    jsonrpc: '2.0',
    id: 'a',
    method: 'message/send',
    params: {
      message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'go' }] },
    },
  };
  await hold([
    [
      '3.6.2',
      'a version that is not spoken is refused',
      async () => expect(await codeOf(request, { 'a2a-version': '9.9' })).toBe(ERRORS.VersionNotSupported),
    ],
    [
      '3.6.2',
      'no version, an empty one and 0.3 are 0.3',
      async () => {
        for (const version of ['', '0.3']) {
          const { result } = await reply(legacy, { 'a2a-version': version });
          expect(result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
        }
        const bare = await fetch(ofAgent, { method: 'POST', body: JSON.stringify(legacy) });
        expect(await bare.json()).toMatchObject({ result: { kind: 'task' } });
      },
    ],
    [
      '3.6',
      'patches make no difference',
      async () => {
        expect(await codeOf(request, { 'a2a-version': '1.0.7' })).toBe(ERRORS.TaskNotFound);
        expect(await reply(legacy, { 'a2a-version': '0.3.1' })).toMatchObject({ result: { kind: 'task' } });
      },
    ],
    [
      '4.4.1',
      'a card has what it must have',
      () => {
        expect(card).toMatchObject({
          name: 'top',
          capabilities: { streaming: true, pushNotifications: false },
        });
        expect(card.version).not.toBe('');
        expect([card.skills, card.defaultInputModes, card.defaultOutputModes]).not.toContainEqual([]);
      },
    ],
    [
      '8.2',
      'it is found at the well-known path',
      async () => {
        const response = await fetch(`${server.url}/.well-known/agent-card.json`);
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      },
    ],
    [
      '8.3.1',
      'each interface says where it is and what it speaks',
      () =>
        expect(card.supportedInterfaces).toMatchObject([
          { url: ofAgent, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url: ofAgent, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        ]),
    ],
    [
      '9.1',
      'an answer is JSON, and has the id of its request',
      async () => {
        const response = await post(request);
        expect(response.headers.get('content-type')).toMatch(/^application\/json/);
        expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 7 });
      },
    ],
    [
      '9.5',
      'an error has a code, a message, and details with a reason',
      async () =>
        expect((await call('GetTask', { id: 'top-0' })).error).toMatchObject({
          code: ERRORS.TaskNotFound,
          data: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'TASK_NOT_FOUND',
              domain: 'a2a-protocol.org',
            },
          ],
        }),
    ],
    [
      '9.5',
      'errors of JSON-RPC have its codes',
      async () => {
        expect(await codeOf('{')).toBe(ERRORS.ParseError);
        expect(await codeOf([])).toBe(ERRORS.InvalidRequest);
        expect(await codeOf({ ...request, jsonrpc: '1.0' })).toBe(ERRORS.InvalidRequest);
        expect(await codeOf({ jsonrpc: '2.0', id: 7 })).toBe(ERRORS.InvalidRequest);
        expect(await codeOf({ ...request, method: 'Nothing' })).toBe(ERRORS.MethodNotFound);
        expect(await codeOf({ jsonrpc: '2.0', id: 7, method: 'GetTask' })).toBe(ERRORS.InvalidParams);
        expect((await reply({ jsonrpc: '1.0', id: 'x' })).id).toBe('x');
      },
    ],
  ]);
});

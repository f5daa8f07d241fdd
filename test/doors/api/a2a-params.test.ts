import * as fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { serveAgents } from './served-agents.ts';

const NAMED = ['tasks/get', 'tasks/cancel', 'tasks/resubscribe'];
const METHODS = {
  '1.0': [
    'SendMessage',
    'SendStreamingMessage',
    'GetTask',
    'ListTasks',
    'CancelTask',
    'SubscribeToTask',
    'CreateTaskPushNotificationConfig',
    'GetTaskPushNotificationConfig',
    'ListTaskPushNotificationConfigs',
    'DeleteTaskPushNotificationConfig',
    'GetExtendedAgentCard',
  ],
  '0.3': [
    ...NAMED,
    'message/send',
    'message/stream',
    'tasks/pushNotificationConfig/set',
    'tasks/pushNotificationConfig/get',
    'tasks/pushNotificationConfig/list',
    'tasks/pushNotificationConfig/delete',
    'agent/getAuthenticatedExtendedCard',
  ],
};
const CALLS = Object.entries(METHODS).flatMap(([version, methods]) =>
  methods.map((method) => ({ version, method })),
);

const Refusal = v.object({ error: v.object({ code: v.number(), message: v.string() }) });

async function serveTop() {
  const { server } = await serveAgents({ top: () => 'done' });
  return async (version: string, method: string, params: unknown) => {
    const response = await fetch(`${server.url}/a2a/top`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': version },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await response.text();
    const refusal = v.safeParse(Refusal, text.startsWith('{') ? JSON.parse(text) : {});
    return refusal.success ? `${refusal.output.error.code} ${refusal.output.error.message}` : 'done';
  };
}

test('parameters of the wrong types are refused by each method, and in words', async () => {
  const call = await serveTop();
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
  const wrong: [params: unknown, told: string][] = [
    [null, 'params must be an object'],
    [5, 'params must be an object'],
    ['x', 'params must be an object'],
    [{ id: 5 }, 'params.id must be a string'],
    [{ id: ['x'], tenant: {} }, 'params.id must be a string; params.tenant must be a string'],
    [[], 'params must be an object'],
    [{ metadata: 'x' }, 'params.metadata must be an object'],
    [{ metadata: [] }, 'params.metadata must be an object'],
    [{ message: [] }, 'params.message must be an object'],
    [{ message: { ...message, parts: [[]] } }, 'params.message.parts.0 must be an object'],
    [{ message, configuration: [] }, 'params.configuration must be an object'],
    [{ message: 5 }, 'params.message must be an object'],
    [{ message: { ...message, parts: {} } }, 'params.message.parts must be an array'],
    [{ message: { ...message, parts: [null] } }, 'params.message.parts.0 must be an object'],
    [{ message: { ...message, parts: [{ text: {} }] } }, 'params.message.parts.0.text must be a string'],
    [{ message: { ...message, extensions: 5 } }, 'params.message.extensions must be an array'],
    [
      { message, configuration: { acceptedOutputModes: [5] } },
      'params.configuration.acceptedOutputModes.0 must be a string',
    ],
  ];
  const asked = [
    ...CALLS.map((called) => ({ ...called, wrong: wrong.slice(0, 1) })),
    ...['SendMessage', 'GetTask'].map((method) => ({ version: '1.0', method, wrong })),
    { version: '0.3', method: 'message/stream', wrong },
  ].flatMap(({ version, method, wrong: given }) =>
    given.map(([params, told]) => ({ version, method, params, told: `-32602 ${told}` })),
  );
  const told = asked.map(async (one) => ({ ...one, told: await call(one.version, one.method, one.params) }));
  expect(await Promise.all(told)).toEqual(asked);
  const lacking = '-32602 params lack what the method takes';
  expect(await call('0.3', 'tasks/pushNotificationConfig/set', { taskId: 'x' })).toBe(lacking);
  for (const method of NAMED) expect(await call('0.3', method, {})).toBe('-32602 id is missing');
});

test('no parameters at all make a method fail', async () => {
  const call = await serveTop();
  const value = fc.jsonValue({ maxDepth: 2 });
  const part = fc.dictionary(
    fc.constantFrom('kind', 'text', 'raw', 'url', 'file', 'data', 'metadata'),
    value,
  );
  const message = fc.record(
    { messageId: value, role: value, kind: value, contextId: value, parts: fc.array(fc.oneof(part, value)) },
    { requiredKeys: [] },
  );
  const fields = fc.constantFrom(
    'id',
    'taskId',
    'pushNotificationConfig',
    'historyLength',
    'pageSize',
    'status',
  );
  const params = fc.oneof(
    value,
    fc.dictionary(fields, value),
    fc.record({ message: fc.oneof(message, value), configuration: value }, { requiredKeys: [] }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CALLS), params, async ({ version, method }, given) => {
      expect(await call(version, method, given)).not.toMatch(/^-32603/);
    }),
  );
});

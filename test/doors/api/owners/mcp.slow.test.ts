import { expect, test } from 'vitest';
import { MCP_PATH } from '../../../../src/doors/api/door-paths.ts';
import { use, type Asked } from '../../../fixtures/stage.ts';
import { bearer, openDoors, type Caller, type Doors } from './deployed-doors.ts';

const VERSION = '2026-07-28';
const CAPABILITIES = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Sends a request of the protocol. @returns its answer, with its events if there are any */
async function send(
  { knock }: Doors,
  who: Caller | object,
  method: string,
  params: Record<string, unknown> = {},
) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
  };
  const name = String(params['name'] ?? params['taskId'] ?? '');
  const { text } = await knock(
    who,
    MCP_PATH,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(name !== '' && { 'mcp-name': name }),
    },
  );
  return text;
}

async function openWorld() {
  const doors = await openDoors(
    {
      kid: () => 'small',
      asker: ({ turn, results }: Asked) =>
        turn === 1 ? [use('ask_user', { question: 'Which one?' })] : results.join(),
    },
    { asker: 'tools = ["ask_user"]\ntimeout = 60\n' },
  );
  const ended = await doors.started('ada', 'kid');
  const { text } = await doors.ask('ada', 'POST', '/agents/asker/runs', {});
  const asking: string = JSON.parse(text).run_id;
  await expect.poll(async () => (await doors.ask('ada', 'GET', '/questions')).text).toContain(asking);
  return { ...doors, ended, asking };
}

test('what names a run over MCP serves its owner, an administrator and the account, and nobody else', async () => {
  const doors = await openWorld();
  const { ended, asking, stage } = doors;
  const { store } = stage.pipeline;
  const answers = { [`${asking}/t1c1`]: { action: 'accept', content: { text: 'blue' } } };
  /** Every request that names a run, by what it would do with it. */
  const requests: [string, Record<string, unknown>][] = [
    ['tools/call', { name: 'run_result', arguments: { run_id: ended } }],
    ['tools/call', { name: 'run_result', arguments: { run_id: asking, wait: 1 } }],
    ['tasks/get', { taskId: ended }],
    ['tasks/get', { taskId: asking }],
    ['tasks/update', { taskId: asking, inputResponses: answers }],
    ['tasks/cancel', { taskId: asking }],
  ];
  const before = await Promise.all([store.tree(ended), store.tree(asking)]);
  for (const [method, params] of requests) {
    const text = await send(doors, 'bob', method, params);
    expect(text).toContain('no run ');
    expect(text).not.toContain('small');
  }
  expect(await Promise.all([store.tree(ended), store.tree(asking)])).toEqual(before);
  for (const who of ['ada', 'admin', 'account'] as const) {
    for (const [method, params] of requests.slice(0, 4)) {
      expect(await send(doors, who, method, params)).not.toContain('no run ');
    }
  }
  await send(doors, 'admin', 'tasks/cancel', { taskId: asking });
  await expect.poll(async () => (await store.run(asking))?.status).toBe('stopped');
});

test('a run that is called as a tool is its caller’s, and what its client was sent goes on for nobody else', async () => {
  const doors = await openWorld();
  const { store } = doors.stage.pipeline;
  const call = { name: 'asker', arguments: { prompt: 'go' } };
  const asked = await send(doors, 'ada', 'tools/call', call);
  const state = /"requestState":"([^"]+)"/.exec(asked)?.[1];
  const key = /"(asker-[0-9a-z]{14}\/t1c1)"/.exec(asked)?.[1] ?? '';
  const [run = ''] = key.split('/');
  expect((await store.run(run))?.owner).toBe('ada');
  const going = {
    ...call,
    requestState: state,
    inputResponses: { [key]: { action: 'accept', content: { text: 'blue' } } },
  };
  expect(await send(doors, 'bob', 'tools/call', going)).toContain(`no run \\"${run}\\"`);
  expect(await store.answer({ run, turn: 1, call: 1 })).toBe(undefined);
  expect(await send(doors, 'ada', 'tools/call', going)).toContain('blue');
});

test('only a client that was given a run as a task answers its questions, with the scope that this takes', async () => {
  const doors = await openWorld();
  const { asking, stage } = doors;
  const { store } = stage.pipeline;
  const answersOf = (run: string) => ({
    [`${run}/t1c1`]: { action: 'accept', content: { text: 'blue' } },
  });
  // It was started through the API, where answering is a route of its own.
  const update = { taskId: asking, inputResponses: answersOf(asking) };
  expect(await send(doors, 'ada', 'tasks/update', update)).toContain('is no task of a client');
  expect(await send(doors, 'ada', 'tasks/get', { taskId: asking })).toContain('"status":"working"');
  expect(await store.answer({ run: asking, turn: 1, call: 1 })).toBe(undefined);

  const unscoped = bearer('ada');
  const call = { name: 'asker', arguments: { prompt: 'go', wait: 1 } };
  const task = await send(doors, unscoped, 'tools/call', call);
  const run = /"taskId":"([^"]+)"/.exec(task)?.[1] ?? '';
  expect(task).not.toContain('inputRequests');
  await expect.poll(() => store.question({ run, turn: 1, call: 1 })).toBeDefined();
  const given = { taskId: run, inputResponses: answersOf(run) };
  expect(await send(doors, unscoped, 'tasks/get', { taskId: run })).toContain('"status":"working"');
  expect(await send(doors, unscoped, 'tasks/update', given)).toContain('one of the scopes cadre/answer');
  // Nobody has answered for those who may.
  expect(await store.answer({ run, turn: 1, call: 1 })).toBe(undefined);
  expect(await send(doors, 'ada', 'tasks/get', { taskId: run })).toContain('"status":"input_required"');
  await send(doors, 'ada', 'tasks/update', given);
  await expect.poll(async () => (await store.run(run))?.status).toBe('succeeded');
});

test('the methods of the protocol that are served are those above, and those that name no run', async () => {
  const doors = await openWorld();
  const named = ['tools/call', 'tasks/get', 'tasks/update', 'tasks/cancel'];
  const others = ['server/discover', 'tools/list'];
  const unserved = [
    'resources/list',
    'resources/read',
    'prompts/list',
    'tasks/list',
    'tasks/result',
    'completion/complete',
  ];
  const isServed = async (method: string) =>
    !(await send(doors, 'bob', method, { taskId: 'x', name: 'x', uri: 'x' })).includes('-32601');
  const served: string[] = [];
  for (const method of [...named, ...others, ...unserved]) if (await isServed(method)) served.push(method);
  expect(served).toEqual([...named, ...others]);
});

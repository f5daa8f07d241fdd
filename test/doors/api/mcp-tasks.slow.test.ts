import { createTaskSessionFromClient, type WithTasksOptions } from '@modelcontextprotocol/ext-tasks/client';
import { expect, onTestFinished, test } from 'vitest';
import * as v from 'valibot';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { latch, silence, use, type Role } from '../../fixtures/stage.ts';
import { clientOf, ERAS, plainRequest, TASKS, VERSION } from './mcp-client.ts';
import { serveAgents, type Served } from './served-agents.ts';

const Answer = v.union([
  v.object({ result: v.record(v.string(), v.any()) }),
  v.object({ error: v.looseObject({ code: v.number(), message: v.string() }) }),
]);

/** Sends a request as it is, with what it says its client can do. */
async function ask(
  { server }: Served,
  method: string,
  params: Record<string, unknown>,
  capabilities: object,
) {
  const response = await fetch(plainRequest(server.url, method, params, capabilities));
  return v.parse(Answer, await response.json());
}

/** A client that takes tasks, in the way of the protocol's own package for them. */
async function sessionOf(served: Served, options: WithTasksOptions = {}) {
  const client = await clientOf(served, ERAS[1]);
  const clientCapabilities = { elicitation: {}, ...TASKS };
  const session = createTaskSessionFromClient(client, {
    ...options,
    endpointId: 'test',
    v2RequestFraming: { protocolVersion: VERSION, clientInfo: {}, clientCapabilities },
    async rawDispatch(request) {
      const { method, params } = v.parse(
        v.object({ method: v.string(), params: v.record(v.string(), v.unknown()) }),
        request,
      );
      const answer = await ask(served, method, params, clientCapabilities);
      return 'error' in answer
        ? { kind: 'error', error: answer.error }
        : { kind: 'result', result: answer.result };
    },
  });
  onTestFinished(() => session.close());
  return session;
}

/** It ends when it is told to. */
function waiting() {
  const goesOn = latch();
  const role: Role = async () => {
    await goesOn.opened;
    return 'at last';
  };
  return { role, goesOn };
}

test('a call that waits no longer is a task for a client that takes tasks', async () => {
  const { role, goesOn } = waiting();
  const served = await serveAgents({ top: role });
  const session = await sessionOf(served);
  const execution = await session.callTool('top', { prompt: 'go', wait: 1 });
  if (execution.kind !== 'task') throw new Error('it is no task');
  const seen: (string | undefined)[] = [];
  const { outcome } = await execution.settle({
    onEvent(event) {
      if (event.type !== 'task') return;
      seen.push(event.task.statusMessage);
      if (event.task.statusMessage !== undefined) goesOn.open();
    },
  });
  expect(outcome).toMatchObject({
    status: 'completed',
    result: {
      content: [{ type: 'text', text: 'at last' }],
      _meta: { 'cadre/run': execution.handle.taskId },
    },
  });
  expect(seen).toContain('1 of 1 agent at work; 0 turns, 0 calls so far');
});

test('the answer of a task is a value, too, if it has a schema', async () => {
  const goesOn = latch();
  const served = await serveAgents(
    {
      async top() {
        await goesOn.opened;
        return '{"city": "Ulm"}';
      },
    },
    { top: '[output]\nschema = { type = "object", required = ["city"] }\n' },
  );
  const execution = await (await sessionOf(served)).callTool('top', { prompt: 'go', wait: 1 });
  expect(execution.kind).toBe('task');
  goesOn.open();
  expect((await execution.settle()).outcome).toMatchObject({
    status: 'completed',
    result: { content: [{ text: '{"city": "Ulm"}' }], structuredContent: { city: 'Ulm' } },
  });
});

test('a call that is answered in time is no task', async () => {
  const served = await serveAgents({ top: () => 'so' });
  const execution = await (await sessionOf(served)).callTool('top', { prompt: 'go' });
  expect(execution.kind).toBe('immediate');
  expect((await execution.settle()).outcome).toMatchObject({ result: { content: [{ text: 'so' }] } });
});

test('questions in a task are put to its client, each once', async () => {
  const { role, goesOn } = waiting();
  const served = await serveAgents(
    {
      async top(asked) {
        if (asked.turn === 1) await role(asked);
        if (asked.turn > 2) return asked.results.join();
        return [use('ask_user', { question: `Which ${asked.turn}?`, choices: ['red', 'blue'] })];
      },
    },
    { top: 'tools = ["ask_user"]\n' },
  );
  const messages: unknown[] = [];
  const session = await sessionOf(served, {
    async onInputRequest(request) {
      if (request.kind !== 'elicitation') throw new Error('it asks something else');
      messages.push(request.params['message']);
      const content = { choice: 'blue' };
      return Object.assign({ action: 'accept' as const, content });
    },
  });
  const execution = await session.callTool('top', { prompt: 'go', wait: 1 });
  goesOn.open();
  const { outcome } = await execution.settle();
  expect(outcome).toMatchObject({ status: 'completed', result: { content: [{ text: 'blue' }] } });
  expect(messages).toEqual(['top: Which 1?', 'top: Which 2?']);
});

test('a task that is cancelled stops its run, and a run that fails is a result', async () => {
  const { role, goesOn } = waiting();
  const served = await serveAgents({
    top: (asked) => silence(asked),
    async bad(asked) {
      await role(asked);
      throw new Error('broken');
    },
  });
  const session = await sessionOf(served);
  const [execution, failing] = await Promise.all(
    ['top', 'bad'].map((name) => session.callTool(name, { prompt: 'go', wait: 1 })),
  );
  if (execution === undefined || failing === undefined) throw new Error('there are two');
  await execution.cancel();
  expect((await execution.settle()).outcome.status).toBe('cancelled');
  const [run] = await served.stage.pipeline.store.tree(
    execution.kind === 'task' ? execution.handle.taskId : '',
  );
  expect(run).toMatchObject({ status: 'stopped', failure: { message: 'its client cancelled the task' } });

  goesOn.open();
  expect((await failing.settle()).outcome).toMatchObject({ status: 'completed', result: { isError: true } });
});

test('only what a request says of its client counts', async () => {
  const { role, goesOn } = waiting();
  const served = await serveAgents({ top: role });
  const call = { name: 'top', arguments: { prompt: 'go', wait: 1 } };
  const [plain, taken] = await Promise.all([
    ask(served, 'tools/call', call, {}),
    ask(served, 'tools/call', call, TASKS),
  ]);
  expect(plain).toMatchObject({ result: { content: [{ text: expect.stringContaining('run_result') }] } });
  expect(taken).toMatchObject({ result: { resultType: 'task', status: 'working', ttlMs: null } });
  const taskId = 'result' in taken ? taken.result['taskId'] : undefined;
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const params = method === 'tasks/update' ? { inputResponses: {} } : {};
    expect(await ask(served, method, { ...params, taskId }, {})).toMatchObject({ error: { code: -32021 } });
    expect(await ask(served, method, { ...params, taskId: 'top-00000000000000' }, TASKS)).toMatchObject({
      error: { code: -32602, message: 'no run "top-00000000000000"' },
    });
  }
  const stranger = { 'other/t1c1': { action: 'accept', content: { text: 'x' } } };
  expect(await ask(served, 'tasks/update', { taskId, inputResponses: stranger }, TASKS)).toMatchObject({
    result: { resultType: 'complete' },
  });
  goesOn.open();
});

test('a task whose process died is at work, and says what to do', async () => {
  const served = await serveAgents({ top: () => 'so' });
  const { run } = await served.stage.run();
  const { endedAt: _endedAt, ...rest } = run;
  const id = newRunId('top', Date.now());
  await served.stage.pipeline.store.insertRun({ ...rest, id, root: id, status: 'running' });
  expect(await ask(served, 'tasks/get', { taskId: id }, TASKS)).toMatchObject({
    result: { status: 'working', statusMessage: expect.stringContaining('was interrupted') },
  });
});

test('clients of the older era are offered no tasks', async () => {
  const served = await serveAgents({ top: () => 'so' });
  expect((await clientOf(served, ERAS[0])).getServerCapabilities()).toEqual({
    tools: { listChanged: false },
  });
  expect((await clientOf(served, ERAS[1])).getServerCapabilities()).toMatchObject(TASKS);
});

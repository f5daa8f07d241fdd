import { expect, test } from 'vitest';
import * as v from 'valibot';
import { createMcpOverHttp } from '../../../src/doors/api/mcp/http.ts';
import { slowly } from '../../fixtures/slowly.ts';
import { call, latch, silence, use } from '../../fixtures/stage.ts';
import { plainRequest, TASKS } from './mcp-client.ts';
import { contextOf } from './served-agents.ts';

const Answer = v.object({ result: v.looseObject({ taskId: v.optional(v.string()) }) });

test('a call is answered by a task, and the cancellation of that, once the one is noted and the other is done', async () => {
  const { context } = await contextOf({ top: (asked) => silence(asked) });
  const done: string[] = [];
  const { environment } = context;
  const slow = {
    ...context,
    answerSeconds: 0.01,
    environment: {
      ...environment,
      once: slowly<Parameters<typeof environment.once>, Awaited<ReturnType<typeof environment.once>>>(
        async (key, value) => {
          const kept = await environment.once(key, value);
          if (value.digest === 'task') done.push('noted');
          return kept;
        },
      ),
      stop: slowly<Parameters<typeof environment.stop>, Awaited<ReturnType<typeof environment.stop>>>(
        async (...given) => {
          const stopped = await environment.stop(...given);
          done.push('stopped');
          return stopped;
        },
      ),
    },
  };
  const serve = createMcpOverHttp(slow);
  const ask = async (method: string, params: Record<string, unknown>) => {
    const response = await serve(plainRequest('http://localhost', method, params, TASKS), slow);
    const { result } = v.parse(Answer, await response.json());
    done.push(method);
    return result;
  };
  const { taskId } = await ask('tools/call', { name: 'top', arguments: { prompt: 'go' } });
  expect(await ask('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' });
  expect(done).toEqual(['noted', 'tools/call', 'stopped', 'tasks/cancel']);
});

test('a task says how far it is, asks its client, and is answered', async () => {
  const goesOn = latch();
  const { context } = await contextOf(
    {
      async top({ turn, results }) {
        if (turn > 1) return `you said ${results.join()}`;
        await goesOn.opened;
        return [use('ask_user', { question: 'Which?' })];
      },
    },
    { top: 'tools = ["ask_user"]\n' },
  );
  const quick = { ...context, answerSeconds: 0.01 };
  const serve = createMcpOverHttp(quick);
  const client = { elicitation: {}, ...TASKS };
  const ask = async (method: string, params: Record<string, unknown>, capabilities: object = client) => {
    const response = await serve(plainRequest('http://localhost', method, params, capabilities), quick);
    return v.parse(
      v.looseObject({ result: v.optional(v.looseObject({})), error: v.optional(v.unknown()) }),
      await response.json(),
    );
  };
  const { result: begun } = await ask('tools/call', { name: 'top', arguments: { prompt: 'go' } });
  const taskId = String(begun?.['taskId']);
  const task = {
    taskId,
    createdAt: expect.any(String),
    lastUpdatedAt: expect.any(String),
    ttlMs: null,
    pollIntervalMs: 500,
    resultType: 'complete',
    _meta: expect.anything(),
  };
  const state = async (capabilities?: object) => (await ask('tasks/get', { taskId }, capabilities)).result;
  expect(begun).toEqual({ ...task, resultType: 'task', status: 'working', content: [] });
  const working = (done: string) => ({
    ...task,
    status: 'working',
    statusMessage: `1 of 1 agent at work; ${done} so far`,
  });
  expect(await state()).toEqual(working('0 turns, 0 calls'));

  goesOn.open();
  await expect.poll(async () => (await state())?.['status']).toBe('input_required');
  const key = `${taskId}/t1c1`;
  const form = {
    mode: 'form',
    message: 'top: Which?',
    requestedSchema: {
      type: 'object',
      properties: { text: { type: 'string', title: 'Answer' } },
      required: ['text'],
    },
  };
  const inputRequests = { [key]: { method: 'elicitation/create', params: form } };
  expect(await state()).toEqual({ ...task, status: 'input_required', inputRequests });
  // One that shows no forms leaves the question to others.
  expect(await state(TASKS)).toEqual(working('1 turn, 1 call'));

  const inputResponses = {
    other: { action: 'decline' },
    [key]: { action: 'accept', content: { text: 'red' } },
  };
  expect(await ask('tasks/update', { taskId, inputResponses })).toMatchObject({
    result: { resultType: 'complete' },
  });
  await context.environment.ended(taskId);
  expect(await state()).toEqual({
    ...task,
    status: 'completed',
    result: {
      resultType: 'complete',
      content: [{ type: 'text', text: 'you said red' }],
      _meta: { 'cadre/run': taskId },
    },
  });

  const { result } = await ask('tools/call', { name: 'top', arguments: { prompt: 'go' } }, {});
  const run = String(v.parse(v.looseObject({ 'cadre/run': v.string() }), result?.['_meta'])['cadre/run']);
  const requiredCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  for (const [method, of, capabilities, error] of [
    [
      'tasks/get',
      taskId,
      {},
      {
        code: -32021,
        message: 'Missing required client capabilities: extensions',
        data: { requiredCapabilities },
      },
    ],
    ['tasks/get', 'top-gone', client, { code: -32602, message: 'no run "top-gone"' }],
    [
      'tasks/update',
      run,
      client,
      { code: -32602, message: `run "${run}" is no task of a client, whose questions it could answer` },
    ],
  ] as const) {
    expect((await ask(method, { taskId: of }, capabilities)).error).toEqual(error);
  }
});

/** Begins a task of the agent `top`, as a client that waits for no answer. */
async function beginTask(context: Awaited<ReturnType<typeof contextOf>>['context']) {
  const quick = { ...context, answerSeconds: 0.01 };
  const serve = createMcpOverHttp(quick);
  const ask = async (method: string, params: Record<string, unknown>) => {
    const response = await serve(plainRequest('http://localhost', method, params, TASKS), quick);
    return v.parse(v.looseObject({ result: v.looseObject({}) }), await response.json()).result;
  };
  const { taskId } = await ask('tools/call', { name: 'top', arguments: { prompt: 'go' } });
  return { ask, taskId, run: String(taskId), state: () => ask('tasks/get', { taskId }) };
}

test('a task that is over stays as it is while its run goes on for a message of another door', async () => {
  const [begins, asked, goesOn] = [latch(), latch(), latch()];
  const { context } = await contextOf({
    async top({ told }) {
      if (told === 'go') {
        await begins.opened;
        return 'done';
      }
      asked.open();
      await goesOn.opened;
      return `done: ${told}`;
    },
  });
  const { ask, taskId, run, state } = await beginTask(context);
  const { environment } = context;
  begins.open();
  await environment.ended(run);
  const { lastUpdatedAt: _, ...over } = await state();
  expect(over).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
  await environment.send({ run, text: 'and more' });
  await asked.opened;
  expect(await state()).toMatchObject(over);
  await ask('tasks/cancel', { taskId });
  goesOn.open();
  expect(await environment.ended(run)).toMatchObject({ status: 'succeeded', usage: { turns: 2 } });
  expect(await state()).toMatchObject(over);
});

test.each(['failed', 'was cancelled'])('a task that %s stays so when its run is resumed', async (how) => {
  const [begins, asked, goesOn] = [latch(), latch(), latch()];
  let times = 0;
  const { context } = await contextOf({
    async top(request) {
      times += 1;
      if (times > 1) {
        asked.open();
        await goesOn.opened;
        return 'done';
      }
      await begins.opened;
      if (how === 'failed') throw new Error('broken');
      return silence(request);
    },
  });
  const { ask, taskId, run, state } = await beginTask(context);
  const { environment } = context;
  begins.open();
  if (how === 'was cancelled') await ask('tasks/cancel', { taskId });
  const ended = await environment.ended(run);
  const over = await state();
  const text = `Error: run "${run}" failed: broken`;
  expect(over).toMatchObject(
    how === 'failed'
      ? { status: 'completed', result: { content: [{ text }], isError: true } }
      : { status: 'cancelled', statusMessage: 'its client cancelled the task' },
  );
  await environment.resume(ended, {});
  await asked.opened;
  expect(await state()).toEqual(over);
  await ask('tasks/cancel', { taskId });
  goesOn.open();
  expect(await environment.ended(run)).toMatchObject({ status: 'succeeded', usage: { turns: 1 } });
  expect(await state()).toEqual(over);
});

test('the events of a tree are the progress of a call, where its client asks for it', async () => {
  const { context } = await contextOf(
    {
      top: ({ turn, results }) =>
        turn === 1
          ? [use('glob', { pattern: '*' }), use('list_agents', {}), call('kid', 'help')]
          : results.join(),
      kid: () => {
        throw new Error('the model is gone');
      },
    },
    { top: 'tools = ["glob"]\nsub_agents = ["kid"]\n' },
  );
  const serve = createMcpOverHttp(context);
  const told = async (about?: object) => {
    const params = { name: 'top', arguments: { prompt: 'go' } };
    const response = await serve(plainRequest('http://localhost', 'tools/call', params, {}, about), context);
    const text = await response.text();
    return [...text.matchAll(/^data: (.*)$/gm)]
      .map(([, data = '']) => JSON.parse(data))
      .filter(({ method }) => method !== undefined);
  };
  expect(await told()).toEqual([]);
  const messages = [
    'top: turn 1',
    'top: list_agents',
    'top: call_agent kid',
    'top: glob .',
    'kid: help',
    'kid: turn 1',
    'kid: failed',
    'top: turn 2',
  ];
  expect(await told({ progressToken: 7 })).toEqual(
    messages.map((message, index) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 7, progress: index + 1, message },
    })),
  );
});

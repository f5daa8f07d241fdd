import { expect, test } from 'vitest';
import { createMcpOverHttp } from '../../../src/doors/api/mcp/http.ts';
import { plainRequest, TASKS } from './mcp-client.ts';
import { contextOf } from './served-agents.ts';

test('parameters of the wrong types are refused as such, whatever they were for', async () => {
  const { context } = await contextOf({ top: () => 'done' });
  const serve = createMcpOverHttp(context);
  const told = async (method: string, params: Record<string, unknown>) => {
    const response = await serve(plainRequest('http://localhost', method, params, TASKS), context);
    return { method, ...JSON.parse(await response.text()).error };
  };
  const wrong = [
    ['tools/list', { cursor: 5 }],
    ['tools/list', { cursor: null }],
    ['tools/call', { name: 'top', arguments: 'x' }],
    ['tools/call', { name: 'top', arguments: { prompt: 'x' }, requestState: 'x' }],
    ['tasks/get', { taskId: '' }],
    ['tasks/update', { taskId: 'none' }],
  ] as const;
  const answers = await Promise.all(wrong.map(([method, params]) => told(method, params)));
  expect(answers.map(({ method, code }) => [method, code])).toEqual(
    wrong.map(([method]) => [method, -32602]),
  );
  expect(answers[0]?.message).toBe(
    'Invalid params for tools/list: cursor: Invalid type: Expected string but received 5',
  );
});

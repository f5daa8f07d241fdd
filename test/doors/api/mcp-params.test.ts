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

test('a client connects with the parameters that this takes, or reads which of them are wrong', async () => {
  const { context } = await contextOf({ top: () => 'done' });
  const serve = createMcpOverHttp(context);
  const connect = async (params?: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const headers = {
      'content-length': String(body.length),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
    const response = await serve(request, context);
    return { session: response.headers.has('mcp-session-id'), text: await response.text() };
  };
  const refused = (message: string) => ({
    session: false,
    text: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message } }),
  });
  const clientInfo = { name: 'test', version: '1' };
  expect(await connect()).toEqual(refused('params is missing'));
  expect(await connect({ protocolVersion: 5, capabilities: [], clientInfo: { name: 'test' } })).toEqual(
    refused('params.protocolVersion must be a string; params.clientInfo.version is missing'),
  );
  expect(await connect({ protocolVersion: '2025-06-18', capabilities: {}, clientInfo })).toEqual({
    session: true,
    text: expect.stringContaining('"protocolVersion":"2025-06-18"'),
  });
});

test('a request that the client got wrong is refused, and is no fault of the server for its log', async () => {
  const { context } = await contextOf({ top: () => 'done' });
  const faults: unknown[] = [];
  const logging = { ...context, log: (fault: unknown) => void faults.push(fault) };
  const serve = createMcpOverHttp(logging);
  const status = async (body: string, headers: Record<string, string> = {}) => {
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { ...usual, ...headers },
      body,
    });
    return (await serve(request, logging)).status;
  };
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  expect([
    await status(list, { 'content-type': 'text/plain' }),
    await status('{"jsonrpc"'),
    await status('[]'),
    await status(`"${'x'.repeat(1024 ** 2)}"`),
    await status(list, { 'mcp-protocol-version': '2026-07-28' }),
    (await serve(plainRequest('http://localhost', 'tasks/get', { taskId: 'x' }, {}), logging)).status,
  ]).toEqual([415, 400, 400, 413, 400, 400]);
  expect(faults).toEqual([]);
  const broken = { ...logging, source: { ...context.source, list: () => Promise.reject(new Error('gone')) } };
  expect((await serve(plainRequest('http://localhost', 'tools/list', {}, {}), broken)).status).toBe(500);
  expect(faults).toEqual([expect.objectContaining({ path: '/mcp', thrown: new Error('gone') })]);
});

test('a fault of ours in a call is in the log, and its client reads where, and nothing else of it', async () => {
  const { context } = await contextOf({ top: () => 'done' });
  const faults: { id: string; path: string; thrown: unknown }[] = [];
  const gone = new Error('no file /home/me/secret');
  const fail = () => Promise.reject(gone);
  const { records } = context.environment;
  const broken = {
    ...context,
    environment: { ...context.environment, start: fail, records: { ...records, run: fail } },
    log: (fault: (typeof faults)[number]) => void faults.push(fault),
  };
  const serve = createMcpOverHttp(broken);
  const told = async (method: string, params: Record<string, unknown>) => {
    const response = await serve(plainRequest('http://localhost', method, params, TASKS), broken);
    const { result, error } = JSON.parse(await response.text());
    return error ?? result.content;
  };
  const run = 'top-00000000000000';
  const answers = [
    await told('tools/call', { name: 'top', arguments: { prompt: 'x' } }),
    await told('tools/call', { name: 'run_result', arguments: { run_id: run } }),
    await told('tasks/get', { taskId: run }),
  ];
  const texts = faults.map(({ id }) => `the request failed; the log has the details under ${id}`);
  expect(answers).toEqual([
    [{ type: 'text', text: `Error: ${texts[0]}` }],
    [{ type: 'text', text: `Error: ${texts[1]}` }],
    { code: -32603, message: texts[2] },
  ]);
  expect(faults.map(({ path, thrown }) => [path, thrown])).toEqual(answers.map(() => ['/mcp', gone]));
});

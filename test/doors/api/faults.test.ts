import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveAgents } from './served-agents.ts';

// What clients are told of faults in requests, all of it: after a change that is meant, `-u` writes `accepted/` anew.

const ID = /top-[0-9a-z]{14}/g;
const HASH = 'a'.repeat(64);
const WRONG = ['x', 7, null, [], {}];

/** A path, and the bodies that are sent to it. */
type Requests = readonly (readonly [path: string, ...bodies: unknown[]])[];

/** What a server answers to each of them, in lines. */
async function expectTold(name: string, server: string, requests: Requests): Promise<void> {
  const lines: string[] = [];
  for (const [path, ...bodies] of requests) {
    lines.push(`POST ${path.replaceAll(ID, 'RUN')}`);
    for (const body of bodies) {
      const response = await fetch(server + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      lines.push(`  ${JSON.stringify(body).slice(0, 200)}`, `    ${await answerOf(response)}`);
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, 'accepted', `${name}.txt`),
  );
}

/** What is told of a fault. */
async function answerOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return String(response.status);
  const { type: _type, title: _title, status: _status, ...told } = JSON.parse(text);
  return `${response.status} ${JSON.stringify(told)}`.replaceAll(ID, 'RUN');
}

const each = (name: string, ...values: unknown[]) => values.map((value) => ({ prompt: 'x', [name]: value }));

test('bodies of requests are refused with what is wrong in each field', async () => {
  const { server, post, get } = await serveAgents(
    { top: () => 'so' },
    { top: 'timeout = 60\n[budget]\nmax_tokens = 1000\n' },
  );
  const started = await post('/agents/top/runs', { json: { prompt: 'x' } });
  const run = `/runs/${String(started.body['run_id'])}`;
  await get(`${run}/result?wait=25`);
  const lines = {
    start: [
      ...each('prompt', ...WRONG),
      ...each('context', 7),
      ...each('model', 7, 'x', 'a/b c', `a/${'b'.repeat(256)}`, 'openai/other'),
      ...each('timeout', 0, 1.5, 'x', 61),
      ...each('budget', 7, { max_usd: 0 }, { max_usd: 1_000_001 }, { max_usd: 'x' }, { max_tokens: 1_001 }),
      ...each('budget', { max_tokens: 0 }, { max_turns: 0.5 }, { max_tool_calls: 'x' }, { max_cents: 1 }),
      ...each('tags', 7, { a: 7 }, { '': 'x' }, { a: 'x'.repeat(300) }),
      ...each(
        'attachments',
        7,
        [7],
        ['x'],
        [HASH],
        Array.from({ length: 101 }, () => HASH),
      ),
      ...each('promt', 'x'),
      {},
      { prompt: ' ' },
      [],
    ],
    upload: [
      {},
      { hash: 'x', bytes: 1 },
      { hash: HASH },
      { hash: HASH, bytes: 0 },
      { hash: HASH, bytes: 1e12 },
      { hash: HASH, bytes: 1, type: 'text/html' },
    ],
    message: [{}, { text: ' ' }, { text: 7 }, { text: 'x', attachments: ['x'] }, { text: 'x', more: 1 }],
    answer: [
      {},
      { text: 'x', choice: 'y' },
      { text: 7 },
      { choice: 'approve', arguments: 7 },
      { choice: 'approve', arguments: [1] },
      { text: 'x' },
    ],
    resume: [{ timeout: 0 }, { model: 'x' }, { more: 1 }],
    fork: [
      { turn: 0 },
      { turn: 'x' },
      { turn: 99 },
      { text: 7 },
      { text: ' ' },
      { model: 'x' },
      { timeout: 0 },
      { more: 1 },
    ],
    budget: [{}, { max_tokens: 0 }, { max_usd: -1 }, { max_turns: 1 }, { max_usd: 1_000_001 }],
    stop: [{ more: 1 }],
  };
  await expectTold('bodies', server.url, [
    ['/agents/top/runs', ...lines.start],
    ['/agents/nobody/runs', { prompt: 'x' }],
    ['/attachments', ...lines.upload],
    [`${run}/messages`, ...lines.message],
    [`${run}/questions/t1c1/answer`, ...lines.answer],
    [`${run}/resume`, ...lines.resume],
    [`${run}/fork`, ...lines.fork],
    [`${run}/budget`, ...lines.budget],
    [`${run}/stop`, ...lines.stop],
    [`${run}/kill`, ...lines.stop],
  ]);
});

test('parameters of OpenAI that no agent can follow are refused with why, and others mean nothing', async () => {
  const { server } = await serveAgents({ top: () => 'so' });
  const messages = [{ role: 'user', content: 'x' }];
  const chat = (name: string, ...values: unknown[]) =>
    values.map((value) => ({ model: 'cadre/top', messages, [name]: value }));
  const unfollowed = {
    audio: { voice: 'a' },
    frequency_penalty: 1,
    function_call: { name: 'f' },
    functions: [{ name: 'f' }],
    logit_bias: { a: 1 },
    logprobs: true,
    modalities: ['audio'],
    n: 2,
    prediction: {},
    presence_penalty: 1,
    reasoning_effort: 'low',
    seed: 1,
    service_tier: 'flex',
    stop: ['x'],
    store: true,
    temperature: 0,
    tool_choice: 'required',
    tools: [{}],
    top_logprobs: 1,
    top_p: 0.5,
    verbosity: 'low',
    web_search_options: {},
  };
  const said = (...all: unknown[]) => chat('messages', ...all.map((one) => [one]));
  await expectTold('openai', server.url, [
    [
      '/v1/chat/completions',
      ...Object.entries(unfollowed).flatMap(([name, value]) => chat(name, value)),
      ...chat('model', 7, 'x', 'cadre/nobody', ''),
      ...chat('messages', 7, [], [{ role: 'assistant', content: 'x' }], [{ role: 'system', content: 'x' }]),
      ...said(
        { role: 'tool', content: 'x' },
        { role: 'user' },
        { role: 'user', content: 7 },
        { role: 'user', content: [{ type: 'audio' }] },
      ),
      ...said({ role: 'user', content: 'x', tool_calls: [{}] }, { role: 'user', content: 'x', audio: {} }, 7),
      ...chat('max_tokens', 0, 1.5, 'x'),
      ...chat('max_completion_tokens', 0),
      ...chat('response_format', 7, { type: 'json_schema' }),
      ...chat('stream', 'x'),
      ...chat('stream_options', 7, [], { include_usage: 'x' }, { more: 1 }),
      ...chat('made_up', 1),
      [],
    ],
  ]);
  const harmless = {
    frequency_penalty: 0,
    function_call: 'auto',
    functions: [],
    logit_bias: {},
    logprobs: false,
    modalities: ['text'],
    n: 1,
    presence_penalty: 0,
    service_tier: 'default',
    stop: [],
    store: false,
    temperature: 1,
    tool_choice: 'none',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    verbosity: 'medium',
    seed: null,
    metadata: { a: 'b' },
    parallel_tool_calls: true,
    prompt_cache_key: 'x',
    safety_identifier: 'x',
    user: 'x',
  };
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'cadre/top', messages, ...harmless }),
  });
  expect(answer.status).toBe(200);
});

test('inputs of AG-UI are refused with what is wrong in each field', async () => {
  const { server } = await serveAgents({ top: () => 'so' });
  const messages = [{ id: 'm', role: 'user', content: 'x' }];
  const input = (name: string, ...values: unknown[]) =>
    values.map((value) => ({ threadId: 't', runId: 'r', messages, [name]: value }));
  const said = (...all: unknown[]) => input('messages', ...all.map((one) => [one]));
  await expectTold('ag-ui', server.url, [
    [
      '/agents/top/ag-ui',
      {},
      [],
      ...input('threadId', '', 7, 'x'.repeat(1_001)),
      ...input('runId', ''),
      ...input('messages', 7, []),
      ...said(
        7,
        { role: 'x' },
        { role: 'user' },
        { role: 'user', content: 7 },
        { role: 'user', content: [{ type: 'audio' }] },
        { role: 'assistant', content: 'x' },
      ),
      ...input(
        'resume',
        7,
        [7],
        [{}],
        [{ interruptId: '', status: 'resolved' }],
        [{ interruptId: 'x', status: 'x' }],
        [{ interruptId: 'x', status: 'resolved' }],
      ),
      ...input('tools', 7, [{}]),
      ...input('context', [{}]),
    ],
    ['/agents/nobody/ag-ui', { threadId: 't', runId: 'r', messages }],
  ]);
});

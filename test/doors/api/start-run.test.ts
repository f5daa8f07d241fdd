import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { call, latch, stageConfig } from '../../fixtures/stage.ts';
import { problem, serveAgents, wallClock, type Asking } from './served-agents.ts';

const COST = { usd: null, cache_read_tokens: 0, cache_write_tokens: 0 };
const TOTALS = { runs: 1, turns: 1, tool_calls: 0, input_tokens: 10, output_tokens: 1, ...COST };
const OWN_LIMITS = {
  top: 'timeout = 60\n[budget]\nmax_tokens = 1000\nmax_usd = 0.5\nmax_turns = 5\nmax_tool_calls = 7\n',
};
const RUN_ID = /^top-[0-9a-z]{14}$/;

describe('a start', () => {
  test('is answered at once with the run and its address', async () => {
    const answering = latch();
    const { get, post, stage } = await serveAgents({
      top: async ({ message }) => {
        await answering.opened;
        return message;
      },
    });
    const started = await post('/agents/top/runs', { json: { prompt: 'Why?', context: 'Because.' } });
    const address = started.headers.get('location') ?? '';
    expect(started.status).toBe(202);
    expect(started.body).toEqual({
      run_id: expect.stringMatching(RUN_ID),
      agent: 'top',
      status: 'running',
      model: 'stage/top',
      depth: 0,
      task: 'Why?',
      started_at: expect.any(String),
      ended_at: null,
      duration_ms: null,
      times: { own: 0, model: 0, tool: 0, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 },
      turns: 0,
      tool_calls: 0,
      input_tokens: 0,
      output_tokens: 0,
      ...COST,
      usd: 0,
      failed_calls: 0,
      retries: 0,
      tree: { ...TOTALS, turns: 0, input_tokens: 0, output_tokens: 0, usd: 0 },
    });
    expect(address).toBe(`/runs/${String(started.body['run_id'])}`);
    // Its version is known once it is opened.
    expect((await get(address)).body).toMatchObject(started.body);
    expect((await get(`${address}/result`)).body).toMatchObject(started.body);
    answering.open();
    const result = await get(`${address}/result?wait=25`);
    expect(result.body).toMatchObject({ status: 'succeeded', content: 'Why?\n\nContext:\nBecause.' });
    expect(await stage.pipeline.store.request(String(started.body['run_id']))).toEqual({
      agent: 'top',
      prompt: 'Why?',
      context: 'Because.',
      overrides: {},
    });
  });

  test('keeps the tags that it names with the run, and not with those below it', async () => {
    const { get, post } = await serveAgents(
      { top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'done'), kid: () => 'y' },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const tags = { customer: 'acme', ticket: '4711 (überfällig)' };
    const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'x', tags } });
    const tree = await get(`/runs/${String(body['run_id'])}/tree`);
    expect(tree.body).toMatchObject({ tags });
    expect(tree.body['runs']).toMatchObject([{ agent: 'top', tags }, { agent: 'kid' }]);
    expect(JSON.stringify(tree.body['runs']).match(/"tags"/g)).toHaveLength(1);
  });

  test('that waits is answered with the result if it comes in time', async () => {
    const { post } = await serveAgents({ top: () => 'the answer' });
    const { status, body, headers } = await post('/agents/top/runs?wait=25', { json: {} });
    expect(status).toBe(200);
    expect(headers.has('location')).toBe(false);
    expect(body).toEqual({
      model: 'stage/top',
      content: 'the answer',
      input_tokens: 10,
      output_tokens: 1,
      stop_reason: 'end',
      duration_ms: expect.any(Number),
      tool_calls: 0,
      run_id: expect.stringMatching(RUN_ID),
      status: 'succeeded',
      turns: 1,
      ...COST,
      tree: TOTALS,
    });
  });

  test('that waits in vain is answered with the run', async () => {
    const { post } = await serveAgents({ top: () => new Promise<string>(() => {}) });
    const { status, body, headers } = await post('/agents/top/runs?wait=1');
    expect({ status, run: body['status'] }).toEqual({ status: 202, run: 'running' });
    expect(headers.get('location')).toBe(`/runs/${String(body['run_id'])}`);
  });

  test('that fails has a result that says why', async () => {
    const { post } = await serveAgents({ top: () => Promise.reject(new Error('the model is on fire')) });
    const { status, body } = await post('/agents/top/runs?wait=25');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'failed', content: '', error: 'the model is on fire' });
  });

  test('may choose the model and lower the limits', async () => {
    const price = '[prices."stage/other"]\ninput = 1\noutput = 1\ncache_read = 1\ncache_write = 1\n';
    const { post, stage } = await serveAgents(
      { top: () => '', other: () => 'other' },
      OWN_LIMITS,
      stageConfig(price),
      wallClock,
      { models: ['stage/else', 'stage/other'] },
    );
    const budget = { max_tokens: 1000, max_usd: 0.25, max_turns: 5, max_tool_calls: 7 };
    const json = { model: 'stage/other', timeout: 60, budget };
    const { body } = await post('/agents/top/runs?wait=25', { json });
    const id = String(body['run_id']);
    expect(body).toMatchObject({ model: 'stage/other', content: 'other' });
    expect(await stage.pipeline.store.run(id)).toMatchObject({ timeout: 60 });
    expect((await stage.pipeline.store.opened(id))?.budget).toEqual({
      tokens: 1000,
      nanoUsd: 250_000_000,
      turns: 5,
      toolCalls: 7,
    });
  });

  test('may choose no other model than those that the operator lists', async () => {
    const { post, stage } = await serveAgents({ top: () => '', other: () => '' }, {}, {}, wallClock, {
      models: ['stage/first', 'stage/second'],
    });
    const detail = 'must be stage/top or stage/first or stage/second; it is stage/other';
    const refused = await post('/agents/top/runs', { json: { model: 'stage/other' } });
    expect(refused.body).toEqual(
      problem(400, 'Bad Request', `model ${detail}`, [{ field: 'model', detail }]),
    );
    expect(stage.asked).toEqual([]);
    const own = await post('/agents/top/runs?wait=25', { json: { model: 'stage/top' } });
    expect(own.body).toMatchObject({ status: 'succeeded', model: 'stage/top' });
  });

  test('that a budget ends has what there was until then as its result', async () => {
    const { post } = await serveAgents(
      { top: () => ({ text: 'so far', calls: [call('kid', 'x')] }), kid: () => '' },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const { body } = await post('/agents/top/runs?wait=25', { json: { budget: { max_turns: 1 } } });
    expect(body).toMatchObject({ status: 'budget_exceeded', content: 'so far', error: expect.any(String) });
  });

  test.each([
    [{ timeout: 61 }, 'timeout', 60, 61],
    [{ budget: { max_tokens: 1001 } }, 'budget.max_tokens', 1000, 1001],
    [{ budget: { max_usd: 0.6 } }, 'budget.max_usd', 0.5, 0.6],
    [{ budget: { max_turns: 6 } }, 'budget.max_turns', 5, 6],
    [{ budget: { max_tool_calls: 8 } }, 'budget.max_tool_calls', 7, 8],
  ])('may not raise a limit: %j', async (json, field, own, asked) => {
    const { post } = await serveAgents({ top: () => '' }, OWN_LIMITS);
    const detail = `must be at most ${own}, the agent's own; it is ${asked}`;
    const refused = await post('/agents/top/runs', { json });
    expect(refused.body).toEqual(problem(400, 'Bad Request', `${field} ${detail}`, [{ field, detail }]));
  });

  test('of an agent that there is none of is not found', async () => {
    const { post } = await serveAgents({});
    expect((await post('/agents/none/runs', { json: {} })).body).toEqual(
      problem(404, 'Not Found', 'there is no agent "none"'),
    );
  });
});

describe('a request is refused', () => {
  const fields: [string, Asking, string, string][] = [
    ['', { json: { prompt: 5 } }, 'prompt', 'must be a string'],
    ['', { json: { context: null } }, 'context', 'must be a string'],
    ['', { json: { model: 'gpt' } }, 'model', 'must be provider/model-name'],
    ['', { json: { model: 'scripted/.token' } }, 'model', 'must be stage/top; it is scripted/.token'],
    [
      '',
      { json: { timeout: 121 } },
      'timeout',
      'must be at most 120, the default for agents that set none; it is 121',
    ],
    ['', { json: { model: `x/${'y'.repeat(255)}` } }, 'model', 'must have at most 256 characters'],
    ['', { json: { timeout: 0 } }, 'timeout', 'must be a whole number from 1 to 864000'],
    ['', { json: { timeout: 1.5 } }, 'timeout', 'must be a whole number from 1 to 864000'],
    ['', { json: { timeout: '5' } }, 'timeout', 'must be a whole number from 1 to 864000'],
    ['', { json: { promt: 'x' } }, 'promt', 'is not known; did you mean "prompt"?'],
    ['', { json: { max_tokens: 5 } }, 'max_tokens', 'is not known; did you mean "budget.max_tokens"?'],
    [
      '',
      { json: { x: 1 } },
      'x',
      'is not known; known here: prompt, context, model, timeout, budget, tags, attachments',
    ],
    ['', { json: { budget: 5 } }, 'budget', 'must be a JSON object'],
    ['', { json: { budget: [] } }, 'budget', 'must be a JSON object'],
    ['', { json: { tags: [] } }, 'tags', 'must be an object'],
    [
      '',
      { json: { budget: { max_token: 5 } } },
      'budget.max_token',
      'is not known; did you mean "max_tokens"?',
    ],
    ['', { json: { budget: { max_usd: 0 } } }, 'budget.max_usd', 'must be at least 0.000001'],
    ['', { json: { budget: { max_usd: 0.0000000004 } } }, 'budget.max_usd', 'must be at least 0.000001'],
    ['', { json: { tags: { customer: 5 } } }, 'tags.customer', 'must be a string'],
    [
      '',
      { json: { tags: { customer: 'x'.repeat(201) } } },
      'tags.customer',
      'must have at most 200 characters',
    ],
    [
      '',
      { json: { tags: { Customer: 'acme' } } },
      'tags.Customer',
      'must begin with a small letter and have at most 40 characters: letters, digits, ".", "_" and "-"',
    ],
    [
      '',
      { json: { tags: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`t${i}`, ''])) } },
      'tags',
      'must be at most 20',
    ],
    ['', { json: [] }, 'body', 'must be a JSON object'],
    ['', { json: 'x' }, 'body', 'must be a JSON object'],
    ['?wiat=5', {}, 'wiat', 'is not known; did you mean "wait"?'],
    ['?pretty', {}, 'pretty', 'is not known; known here: wait'],
    ['?wait=26', {}, 'wait', 'must be a whole number from 0 to 25'],
    ['?wait=-1', {}, 'wait', 'must be a whole number from 0 to 25'],
    ['?wait=soon', {}, 'wait', 'must be a whole number from 0 to 25'],
    [
      '',
      { headers: { 'idempotency-key': 'a b' } },
      'idempotency-key',
      'must be 1 to 255 printable ASCII characters',
    ],
  ];
  test.each(fields)('with a word on the field: %j %j', async (query, asking, field, detail) => {
    const { post, stage } = await serveAgents({ top: () => '' });
    const { body } = await post(`/agents/top/runs${query}`, asking);
    expect(body).toEqual(problem(400, 'Bad Request', `${field} ${detail}`, [{ field, detail }]));
    expect(stage.asked).toEqual([]);
  });

  test('with a word on each field that is wrong', async () => {
    const { post } = await serveAgents({ top: () => '' });
    const { body } = await post('/agents/top/runs', { json: { prompt: 1, promt: 2 } });
    expect(body).toEqual(
      problem(400, 'Bad Request', 'prompt must be a string; promt is not known; did you mean "prompt"?', [
        { field: 'prompt', detail: 'must be a string' },
        { field: 'promt', detail: 'is not known; did you mean "prompt"?' },
      ]),
    );
  });

  const json = { 'content-type': 'application/json' };
  const bodies: [string, number, string, string, Asking][] = [
    ['no JSON', 400, 'Bad Request', 'the body must be JSON in UTF-8', { body: '{', headers: json }],
    [
      'no UTF-8',
      400,
      'Bad Request',
      'the body must be JSON in UTF-8',
      { body: Uint8Array.of(0x22, 0xff, 0x22), headers: json },
    ],
    [
      'no JSON by its own word',
      415,
      'Unsupported Media Type',
      'the body must be application/json, not "text/plain;charset=UTF-8"',
      { body: '{}' },
    ],
    [
      'too large',
      413,
      'Content Too Large',
      'the body must have at most 1048576 bytes',
      { body: JSON.stringify({ prompt: 'x'.repeat(1024 ** 2) }), headers: json },
    ],
  ];
  test.each(bodies)('with a body that is %s', async (_what, status, title, detail, asking) => {
    const { post } = await serveAgents({ top: () => '' });
    expect((await post('/agents/top/runs', asking)).body).toEqual(problem(status, title, detail));
  });

  test('with a body that turns out too large on the way', async () => {
    const { server } = await serveAgents({ top: () => '' });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...json, 'transfer-encoding': 'chunked' };
      const asking = request(`${server.url}/agents/top/runs`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asking.on('error', reject);
      asking.end(' '.repeat(1024 ** 2 + 1));
    });
    expect(status).toBe(413);
  });

  test('never where the body is as large as it may be, of another case or not there', async () => {
    const { post, stage } = await serveAgents({ top: () => 'ok' });
    const largest = JSON.stringify({ prompt: '' });
    const body = largest.replace('""', `"${'x'.repeat(1024 ** 2 - largest.length)}"`);
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect(await post('/agents/top/runs?wait=25', { body, headers })).toMatchObject({ status: 200 });
    expect(stage.asked[0]?.message).toHaveLength(1024 ** 2 - largest.length);
    expect(await post('/agents/top/runs?wait=25')).toMatchObject({ status: 200 });
  });
});

describe('an Idempotency-Key', () => {
  test('makes one run of any number of requests, at once and one after another', async () => {
    const { post, stage, get } = await serveAgents({ top: () => 'once' });
    const asking = { json: { prompt: 'x', timeout: 9 }, headers: { 'idempotency-key': 'order-66' } };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post('/agents/top/runs?wait=25', asking)),
    );
    answers.push(await post('/agents/top/runs?wait=25', asking));
    const [first] = answers;
    expect(first).toMatchObject({ status: 200, body: { content: 'once' } });
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => first?.body));
    expect(stage.asked).toHaveLength(1);
    expect((await get('/runs')).body['runs']).toHaveLength(1);
  });

  test('stands for one request only', async () => {
    const { post } = await serveAgents({ top: () => '', kid: () => '' });
    const headers = { 'idempotency-key': 'k' };
    const first = await post('/agents/top/runs', { json: { prompt: 'x' }, headers });
    const run = String(first.body['run_id']);
    const conflict = problem(
      409,
      'Conflict',
      `this Idempotency-Key belongs to another request, which started run "${run}"`,
    );
    expect((await post('/agents/top/runs', { json: { prompt: 'y' }, headers })).body).toEqual(conflict);
    expect((await post('/agents/kid/runs', { json: { prompt: 'x' }, headers })).body).toEqual(conflict);
    expect((await post('/agents/top/runs', { json: { prompt: 'x' }, headers })).body['run_id']).toBe(run);
    const other = await post('/agents/top/runs', {
      json: { prompt: 'x' },
      headers: { 'idempotency-key': 'l' },
    });
    expect(other.body['run_id']).not.toBe(run);
  });

  test('of a run that has ended is answered with that run', async () => {
    const { post } = await serveAgents({ top: () => 'once' });
    const asking = { json: { prompt: 'x' }, headers: { 'idempotency-key': 'k' } };
    const { body } = await post('/agents/top/runs?wait=25', asking);
    const again = await post('/agents/top/runs', asking);
    expect(again.status).toBe(202);
    expect(again.headers.get('location')).toBe(`/runs/${String(body['run_id'])}`);
    expect(again.body).toMatchObject({ run_id: body['run_id'], status: 'succeeded', turns: 1 });
  });
});

import { gunzipSync } from 'node:zlib';
import { createMcpHandler } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NAMES } from './names.ts';
import { answers, lambdaThat } from '../fixtures/lambda-api.ts';
import { ownerKey } from '../../src/core/records/owner.ts';
import { FUNCTIONS } from '../../src/authoring/plan/functions.ts';
import { createServer } from '../fixtures/mcp-server.mjs';
import {
  AGENTS,
  arn,
  delegates,
  deployFunctions,
  LONG,
  opening,
  recordLog,
  request,
  says,
  stubModel,
} from './deployed.ts';

const PRICES = 'arn:aws:lambda:us-east-1:123456789012:function:shop-prices-1A2B';
const deployed = deployFunctions();
const { cold, coldDoors, done } = deployed;

const MCP = '2026-07-28';
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** A request of a client of MCP. */
function mcpRequest(method: string, params: Record<string, unknown>, capabilities: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MCP,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return request(
    'POST',
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MCP,
      'mcp-method': method,
      'mcp-name': String(params['name'] ?? params['taskId']),
    },
  );
}

/** Carries a run to where it waits for a person's answer to the question of its first call. */
async function askWhich(name: string, milliseconds = 60_000): Promise<void> {
  stubModel({
    content: [{ type: 'tool_use', id: 'a', name: 'ask_user', input: { question: 'which?' } }],
    stop_reason: 'tool_use',
  });
  const [open, turn, control] = [await cold('open'), await cold('turn'), await cold('control')];
  const opened = await open(opening(name, { agent: 'asker', prompt: 'go' }));
  const event = { ...opened, execution: arn(name), turn: 1, outcomes: [], attempt: 0, waits: 0 };
  await turn(event);
  await control({ ask: { ...event, call: 1, token: 'one', until: Date.now() + milliseconds } });
}
const TOP = 'top-00000000000001';
const KID = 'kid-00000000000001-t1c1';

describe('the functions of a deployment', () => {
  test('close a run whose execution was stopped, however often they are told', async () => {
    recordLog();
    stubModel(delegates);
    const name = 'top-00000000000002';
    const opened = await (await cold('open'))(opening(name, { agent: 'top', prompt: 'go' }));
    await (
      await cold('turn')
    )({ ...opened, execution: arn(name), turn: 1, outcomes: [], attempt: 0, waits: 0 });
    const stopped = {
      detail: { executionArn: arn(name), name, status: 'ABORTED', error: null, cause: null },
    };
    for (let times = 0; times < 2; times++) await (await cold('settle'))(stopped);
    const closed = await (await cold('api'))(request('GET', `/runs/${name}`));
    expect(closed).toMatchObject({ statusCode: 200, body: expect.stringContaining('"status":"stopped"') });
  });

  test('count what the sweep finds, and nothing where it finds nothing', async () => {
    const lines = recordLog();
    const name = 'kid-00000000000077';
    await (
      await cold('open')
    )(opening(name, { agent: 'kid', prompt: 'go', timeout: 60 }));
    const sweep = async () => (await cold('settle'))({ sweep: true });
    await sweep();
    const found = () => lines.filter(({ sweepFindings }) => sweepFindings !== undefined);
    expect(found()).toEqual([]);
    // Its execution ends, and the event about that is lost.
    deployed.aws.aborted.add(arn(name));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await sweep();
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'run_closed', run: name, outcome: 'stopped' }),
    );
    expect(found()).toEqual([
      {
        level: 'WARN',
        timestamp: expect.any(String),
        environment: 'test',
        sweepFindings: 1,
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [
            {
              Namespace: 'Cadre',
              Dimensions: [['environment']],
              Metrics: [{ Name: 'sweepFindings', Unit: 'Count' }],
            },
          ],
        },
      },
    ]);
  });

  test('tell of a run that could not even be opened, of which nothing else would', async () => {
    const lines = recordLog();
    const name = 'kid-00000000000078';
    const input = JSON.stringify({ agent: 'kid', prompt: 'go' });
    const failed = { executionArn: arn(name), name, status: 'FAILED', input, redriveCount: 0 };
    const cause = '{"errorType":"Runtime.ImportModuleError","errorMessage":"no module"}';
    await (
      await cold('settle')
    )({ detail: { ...failed, error: 'Runtime.ImportModuleError', cause } });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'WARN',
        message: `run "${name}" failed before it was written down (Runtime.ImportModuleError): the log of the function open has the reason`,
      }),
      expect.objectContaining({ sweepFindings: 1 }),
    ]);
  });

  test('leave what a sweep could not do to the next one, and Lambda need not repeat it', async () => {
    const lines = recordLog();
    await (
      await cold('settle', { CADRE_TABLE: 'nowhere' })
    )({ sweep: true });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'WARN',
        message: expect.stringMatching(
          /^the sweep could not do all of its work: cannot read item .* not found/,
        ),
      }),
      expect.objectContaining({ sweepFindings: 1 }),
    ]);
  });

  test('carry out a conversation that delegates, and never pay for a turn twice', async () => {
    const lines = recordLog();
    const requests = stubModel(delegates, says(LONG), says('all done'));
    const opened = await (await cold('open'))(opening(TOP, { agent: 'top', prompt: LONG }));
    expect(opened).toMatchObject({ run: TOP, holder: 1 });
    const event = { ...opened, execution: arn(TOP), turn: 1, outcomes: [], attempt: 0, waits: 0 };
    const first = await (await cold('turn'))(event);
    // The instance that has the answer dies; another makes the same turn.
    const again = await (await cold('turn'))(event);
    expect(again).toEqual({ ...first, waves: expect.any(Array) });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers.get('x-api-key')).toBe('key-of-anthropic');
    expect(await requests[0]?.text()).toContain('what is shown');

    const parent = { run: TOP, turn: 1, call: 1 };
    const kid = await (
      await cold('open')
    )(opening(KID, { agent: 'kid', depth: 1, deadline: Date.now() + 60_000, parent }));
    await (
      await cold('turn')
    )({ ...kid, execution: arn(KID), turn: 1, outcomes: [], attempt: 0, waits: 0 });
    expect(
      await (
        await cold('turn')
      )({ ...event, turn: 2, outcomes: [{ call: 1 }], attempt: 0, waits: 0 }),
    ).toMatchObject({
      next: 'answered',
      turn: 2,
    });
    expect(lines.map(({ event: what, run, turn }) => [what, run, turn])).toEqual([
      ['run_opened', TOP, undefined],
      ['turn_started', TOP, 1],
      ['turn_finished', TOP, 1],
      ['run_opened', KID, undefined],
      ['turn_started', KID, 1],
      ['turn_finished', KID, 1],
      ['run_closed', KID, undefined],
      ['turn_started', TOP, 2],
      ['turn_finished', TOP, 2],
      ['run_closed', TOP, undefined],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/far too long|key-of-anthropic|what is shown/);
  });

  test('keep what a run came to, show it to the next and say when there is too much of it', async () => {
    const lines = recordLog();
    const requests = stubModel(says('first'), says('second'));
    for (const name of ['top-0000000000000a', 'top-0000000000000b']) {
      const opened = await (await cold('open'))(opening(name, { agent: 'top', prompt: 'what is new?' }));
      await (
        await cold('turn')
      )({ ...opened, execution: arn(name), turn: 1, outcomes: [], attempt: 0, waits: 0 });
    }
    expect(await requests[1]?.text()).toContain('**Task:** what is new?\\n**Result:** first\\n\\n"');
    expect(lines.at(-1)).toMatchObject({
      level: 'WARN',
      event: 'warning',
      run: 'top-0000000000000b',
      message: expect.stringMatching(
        /^agent "top" memory has \d entries \(max_entries: 1\)\. Run 'cadre gc top' to trim\.$/,
      ),
    });
  });

  test('take a run up again in another execution, and leave it alone when a late end of the first one comes', async () => {
    recordLog();
    const name = 'top-00000000000003';
    const first = opening(name, { agent: 'top', prompt: 'go' });
    const ended = { executionArn: first.execution, name, status: 'TIMED_OUT', error: null, cause: null };
    await (
      await cold('open')
    )(first);
    await (
      await cold('settle')
    )({ detail: ended });
    await (
      await cold('open')
    )({ ...first, execution: arn('again'), input: { ...first.input, holder: 2 } });
    await (
      await cold('settle')
    )({ detail: ended });
    const run = await (await cold('api'))(request('GET', `/runs/${name}`));
    expect(run).toMatchObject({ statusCode: 200, body: expect.stringContaining('"status":"running"') });
  });

  test('have a model asked in a batch, and make the turn of its answer', async () => {
    recordLog();
    const name = 'patient-00000000000001';
    const opened = await (await cold('open'))(opening(name, { agent: 'patient', prompt: 'go' }));
    const claim = { ...opened, execution: arn(name), turn: 1 };
    const turn = async () => (await cold('turn'))({ ...claim, outcomes: [], attempt: 0, waits: 0 });
    expect(await turn()).toMatchObject({ next: 'batch', turn: 0, outcomes: [] });
    const { started, woken } = deployed.aws;
    for (let times = 0; times < 2; times++) {
      await (
        await cold('control')
      )({ batch: { ...claim, token: 'a token of the state' } });
    }
    const [bucket = '', ...others] = started.filter((one) => one.startsWith('batch-'));
    expect(others).toEqual([]);
    const look = async () => (await cold('batch'))({ bucket, model: 'anthropic/claude-sonnet-4-5' });
    expect(await look()).toMatchObject({ next: 'look' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
    onTestFinished(() => void vi.useRealTimers());
    const batch = { id: 'msgbatch_1', created_at: new Date().toISOString(), request_counts: {} };
    const calls: string[] = [];
    let id = '';
    vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
      const asked = new Request(input, init);
      calls.push(`${asked.method} ${new URL(asked.url).pathname}`);
      expect(asked.headers.get('x-api-key')).toBe('key-of-anthropic');
      if (asked.method === 'POST') [, id = ''] = /"custom_id":"(\w+)"/.exec(await asked.text()) ?? [];
      if (!asked.url.endsWith('/results')) return Response.json({ ...batch, processing_status: 'ended' });
      const message = { ...says('from the batch'), usage: { input_tokens: 7, output_tokens: 3 } };
      return new Response(JSON.stringify({ custom_id: id, result: { type: 'succeeded', message } }));
    });
    expect(await look()).toMatchObject({ next: 'look' });
    expect(await look()).toMatchObject({ next: 'look' });
    expect({ calls, woken: woken.filter((token) => token === 'a token of the state') }).toEqual({
      calls: [
        'POST /v1/messages/batches',
        'GET /v1/messages/batches/msgbatch_1',
        'GET /v1/messages/batches/msgbatch_1/results',
      ],
      woken: ['a token of the state'],
    });
    woken.splice(0);
    expect(await turn()).toMatchObject({ next: 'answered', status: 'succeeded' });
    expect(await look()).toEqual({ next: 'done' });
  });

  test('ask people, and wake the states that wait for answers', async () => {
    const lines = recordLog();
    const name = 'asker-00000000000001';
    const choices = Array.from({ length: 90 }, (_, index) => `${index} ${'long '.repeat(190)}`);
    const asks = (id: string) => ({
      type: 'tool_use',
      id,
      name: 'ask_user',
      input: { question: 'which?', choices },
    });
    stubModel({ content: [asks('a'), asks('b'), asks('c')], stop_reason: 'tool_use' });
    const opened = await (await cold('open'))(opening(name, { agent: 'asker', prompt: 'go' }));
    const event = { ...opened, execution: arn(name), turn: 1, outcomes: [], attempt: 0, waits: 0 };
    await (
      await cold('turn')
    )(event);
    const ask = async (call: number, token: string) =>
      (await cold('control'))({ ask: { ...event, call, token, until: Date.now() + 60_000 } });
    for (const [call, token] of [
      [1, 'one'],
      [1, 'again'],
      [2, 'two'],
    ] as const) {
      expect(await ask(call, token)).toEqual({});
    }
    await (
      await cold('control')
    )({ answered: { run: name, turn: 1, call: 1 } });
    expect(deployed.aws.woken).toEqual(['again', 'one']);
    // No answer comes, and then it is too late.
    stubModel(says('well then'));
    await (
      await cold('turn')
    )({ ...event, turn: 2 });
    // However long a question and its choices are, an event has room for them (256 KB).
    expect(deployed.aws.events.map(({ Detail }) => Detail.length).every((length) => length < 64_000)).toBe(
      true,
    );
    expect(await ask(1, 'late')).toEqual({});
    expect(deployed.aws.woken).toEqual(['again', 'one', 'late']);
    expect(lines.filter(({ event: what }) => what === 'question_asked').map(({ call }) => call)).toEqual([
      1, 2,
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/which|long/);
  });

  test('tell the event bus of questions, and ask even if it takes no event', async () => {
    const lines = recordLog();
    const run = 'asker-00000000000004';
    deployed.aws.events.length = 0;
    await askWhich(run);
    expect(deployed.aws.events.map(({ Detail, ...event }) => ({ ...event, ...JSON.parse(Detail) }))).toEqual([
      {
        Source: 'cadre',
        DetailType: 'Question asked',
        environment: 'test',
        run_id: run,
        root: run,
        agent: 'asker',
        question_id: 't1c1',
        question: 'which?',
        choices: [],
        asked_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
    deployed.aws.isBusDown = true;
    await askWhich('asker-00000000000005');
    deployed.aws.isBusDown = false;
    expect(lines.filter(({ event }) => event === 'warning').map(({ message }) => message)).toEqual([
      'no event tells of the question t1c1: the bus is down',
    ]);
    expect(await (await cold('api'))(request('GET', '/questions'))).toMatchObject({
      body: expect.stringContaining('"run_id":"asker-00000000000005"'),
    });
  });

  test('hand an answer over from the API, which wakes no execution itself', async () => {
    recordLog();
    const { url, requests: invoked } = await lambdaThat(answers(202, {}, ''));
    const name = 'asker-00000000000003';
    await askWhich(name);
    const api = await cold('api', { AWS_ENDPOINT_URL_LAMBDA: url, CADRE_CONTROL: 'cadre-test-control' });
    expect(await api(request('GET', '/questions'))).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining(`"run_id":"${name}"`),
    });
    const path = `/runs/${name}/questions/t1c1/answer`;
    const answer = (text: string, routeKey: string) => api({ ...request('POST', path, { text }), routeKey });
    const route = 'POST /runs/{id}/questions/{question}/answer';
    // The route that API Gateway found is the one whose permission it has checked.
    expect(await answer('sneaked in', '$default')).toMatchObject({ statusCode: 403 });
    expect(await answer('this one', route)).toMatchObject({ statusCode: 200 });
    expect(await answer('that one', route)).toMatchObject({ statusCode: 409 });
    expect(invoked).toEqual(
      Array(2).fill(
        `POST /2015-03-31/functions/cadre-test-control/invocations {"answered":{"run":"${name}","turn":1,"call":1}}`,
      ),
    );
  });

  test('add to budgets by a route of its own', async () => {
    recordLog();
    const name = 'thrifty-00000000000001';
    await (
      await cold('open')
    )(opening(name, { agent: 'thrifty', prompt: 'go' }));
    const api = await cold('api');
    const add = (routeKey: string) =>
      api({ ...request('POST', `/runs/${name}/budget`, { max_tokens: 500 }), routeKey });
    expect(await add('$default')).toMatchObject({ statusCode: 403 });
    expect(await add('POST /runs/{id}/budget')).toMatchObject({
      statusCode: 200,
      body: JSON.stringify({ max_tokens: 1500 }),
    });
    expect(await api(request('GET', `/runs/${name}`))).toMatchObject({
      body: expect.stringContaining(
        `https://eu-central-1.console.aws.amazon.com/states/home?region=eu-central-1#/v2/executions/details/${arn(name)}`,
      ),
    });
  });

  test('kill an agent for the API, which ends no execution itself', async () => {
    recordLog();
    const { url, requests: invoked } = await lambdaThat(answers(202, {}, ''));
    const [name, kid] = ['top-0000000000kill', 'kid-0000000000kill-t1c1'];
    const [open, api] = [
      await cold('open'),
      await cold('api', { AWS_ENDPOINT_URL_LAMBDA: url, CADRE_CONTROL: 'cadre-test-control' }),
    ];
    stubModel(delegates);
    const opened = await open(opening(name, { agent: 'top', prompt: 'go' }));
    await (
      await cold('turn')
    )({ ...opened, execution: arn(name), turn: 1, outcomes: [], attempt: 0, waits: 0 });
    const parent = { run: name, turn: 1, call: 1 };
    await open(opening(kid, { agent: 'kid', depth: 1, deadline: Date.now() + 60_000, parent }));
    expect(await api(request('POST', `/runs/${name}/kill`, {}))).toMatchObject({ statusCode: 409 });
    expect(await api(request('POST', `/runs/${kid}/kill`, {}))).toMatchObject({ statusCode: 202 });
    expect(invoked).toEqual([
      `POST /2015-03-31/functions/cadre-test-control/invocations {"kill":{"run":"${kid}"}}`,
    ]);
    // Lambda may deliver an event twice.
    for (const _ of [1, 2]) await (await cold('control'))({ kill: { run: kid } });
    expect(await api(request('GET', `/runs/${kid}`))).toMatchObject({
      body: expect.stringContaining(`"status":"stopped"`),
    });
  });

  test('propose commands that lead to their environment', async () => {
    recordLog();
    const name = 'top-0000000000idle';
    const [open, turn, api] = [await cold('open'), await cold('turn'), await cold('api')];
    stubModel(says('done'));
    const opened = await open(opening(name, { agent: 'top', prompt: 'go' }));
    await turn({ ...opened, execution: arn(name), turn: 1, outcomes: [], attempt: 0, waits: 0 });
    const { body } = await api(request('POST', `/runs/${name}/fork`, {}));
    const { run_id: fork } = JSON.parse(String(body));
    expect(await api(request('POST', `/runs/${fork}/stop`, {}))).toMatchObject({
      statusCode: 409,
      body: expect.stringContaining(`end it for good with: cadre kill ${fork} --env test`),
    });
  });

  test('take the questions of a run off the list when it ends', async () => {
    recordLog();
    const name = 'asker-00000000000002';
    await askWhich(name);
    await (
      await cold('settle')
    )({ detail: { executionArn: arn(name), name, status: 'ABORTED', error: null, cause: null } });
    expect(deployed.aws.asked).toContain('dynamodb:DeleteItem on lists of what is open in the table');
  });

  test('fork agents, end them, wake them, and tell those who count on them', async () => {
    recordLog();
    const name = 'forker-0000000000fork';
    const child = (call: number) => `forker-0000000000fork-t1c${call}`;
    const calls = (...made: [string, object][]) => ({
      content: made.map(([tool, input], id) => ({ type: 'tool_use', id: `c${id}`, name: tool, input })),
      stop_reason: 'tool_use',
    });
    stubModel(
      calls(['fork', { prompt: LONG, name: 'a' }], ['fork', { prompt: LONG, name: 'b' }]),
      calls(['kill', { uuid: 'a' }]),
      says('waiting'),
      says('b is done'),
      says('again'),
      calls(['fork', { prompt: LONG, name: 'c' }]),
      says('b waits for c'),
    );
    const opened = await (await cold('open'))(opening(name, { agent: 'forker', prompt: 'go' }));
    const event = { ...opened, execution: arn(name), outcomes: [], attempt: 0, waits: 0 };
    const turn = async (number: number) => (await cold('turn'))({ ...event, turn: number });
    const rest = async (run: string, token: string, holder = 1, execution = arn(run)) =>
      (await cold('control'))({
        rest: { run, holder, execution, deadline: Date.now() + 60_000, token },
      });
    expect(await turn(1)).toMatchObject({ waves: [{ steps: [{ kind: 'start' }, { kind: 'start' }] }] });
    const deadline = Date.now() + 60_000;
    for (const call of [1, 2]) {
      const parent = { run: name, turn: 1, call };
      await (
        await cold('open')
      )(opening(child(call), { agent: 'forker', deadline, parent }));
    }
    expect(await turn(2)).toMatchObject({ waves: [{ steps: [{ kind: 'control' }] }] });
    await (
      await cold('control')
    )({ call: { ...event, turn: 2, call: 1, timeout: 60 } });
    expect(await turn(3)).toMatchObject({ next: 'idle' });
    deployed.aws.woken.length = 0;
    await rest(name, 'top');
    expect(deployed.aws.woken).toEqual([]);
    const forked = { run: child(2), deadline, timeout: 60, patience: 0, outcomes: [], attempt: 0, waits: 0 };
    const turnOfB = async (turn: number, holder: number, execution: string) =>
      (await cold('turn'))({ ...forked, holder, turn, execution });
    expect(await turnOfB(1, 1, arn(child(2)))).toMatchObject({ next: 'idle' });
    await rest(child(2), 'b');
    expect(deployed.aws.woken).toEqual(['top', 'b']);
    const { url, requests: invoked } = await lambdaThat(answers(202, {}, ''));
    const wake = async (holder: number) => {
      // The API keeps what a person writes, and another function wakes the agent.
      const api = await cold('api', { AWS_ENDPOINT_URL_LAMBDA: url, CADRE_CONTROL: 'cadre-test-control' });
      const routeKey = 'POST /runs/{id}/messages';
      const posted = request('POST', `/runs/${child(2)}/messages`, { text: 'more' });
      expect(await api({ ...posted, routeKey })).toMatchObject({ statusCode: 202 });
      expect(await api(request('GET', `/runs/${child(2)}/result`))).toMatchObject({ statusCode: 202 });
      const written = { written: { run: child(2) } };
      expect(invoked.at(-1)).toBe(
        `POST /2015-03-31/functions/cadre-test-control/invocations ${JSON.stringify(written)}`,
      );
      expect(await (await cold('control'))(written)).toEqual({});
      const parent = { run: name, turn: 1, call: 2 };
      await (
        await cold('open')
      )({
        ...opening(child(2), { agent: 'forker', holder, isWoken: true, parent }),
        execution: arn(`again-${holder}`),
      });
    };
    const stop = async (execution: string, of: string) =>
      (await cold('settle'))({ detail: { executionArn: arn(execution), name: of, status: 'ABORTED' } });
    // A person writes to the fork, and its execution is stopped: the one that forked it is told.
    expect(await turn(4)).toMatchObject({ next: 'idle' });
    await wake(2);
    await rest(name, 'top again');
    expect(deployed.aws.woken).toEqual(['top', 'b']);
    await stop('again-2', `${child(2)}-r2`);
    expect(deployed.aws.woken).toEqual(['top', 'b', 'top again']);
    // One that is idle goes on to hear of what it has forked.
    await rest(name, 'the end');
    await wake(3);
    expect(await turnOfB(2, 3, arn('again-3'))).toMatchObject({ next: 'act' });
    const ofB = `${child(2)}_t2c1`;
    const parent = { run: child(2), turn: 2, call: 1 };
    await (
      await cold('open')
    )(opening(ofB, { agent: 'forker', deadline, parent }));
    expect(await turnOfB(3, 3, arn('again-3'))).toMatchObject({ next: 'idle' });
    await rest(child(2), 'b again', 3, arn('again-3'));
    await stop(ofB, ofB);
    expect(deployed.aws.asked).toContain('states:StartExecution on the machine');
    // The end of the top ends its forks.
    await (
      await cold('open')
    )({ ...opening(name, { agent: 'forker', holder: 2, isWoken: true }), execution: arn('top-2') });
    await wake(4);
    await stop('top-2', `${name}-r2`);
    expect(deployed.aws.asked).toContain('states:StopExecution on executions of the machine');
    const tree = await (await cold('api'))(request('GET', `/runs/${name}/tree`));
    const { runs } = v.parse(
      v.pipe(v.string(), v.parseJson(), v.object({ runs: v.array(v.object({ status: v.string() })) })),
      tree['body'],
    );
    expect(runs.map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped', 'stopped']);
  });

  test('answer over HTTP', async () => {
    const api = await cold('api');
    const agents = await api(request('GET', '/agents'));
    expect(agents).toMatchObject({ statusCode: 200, body: expect.stringContaining('"top"') });
    const top = await api(request('GET', '/agents/top'));
    expect(top).toMatchObject({ statusCode: 200, body: expect.stringContaining('what is shown') });
    const started = await api(
      request('POST', '/agents/top/runs', { prompt: LONG }, { 'idempotency-key': 'one' }),
    );
    expect(started).toMatchObject({ statusCode: 202 });
    const { run_id: run } = v.parse(
      v.pipe(v.string(), v.parseJson(), v.object({ run_id: v.string() })),
      started['body'],
    );
    expect(await api(request('GET', '/runs'))).toMatchObject({ statusCode: 200 });
    expect(await api(request('POST', `/runs/${run}/stop`))).toMatchObject({ statusCode: 202 });
    recordLog();
    await (
      await cold('settle')
    )({ detail: { executionArn: arn(run), name: run, status: 'ABORTED' } });
    expect(await api(request('POST', `/runs/${run}/resume`))).toMatchObject({
      statusCode: 202,
      body: expect.stringContaining('"status":"running"'),
    });
    expect(await (await cold('api'))(request('GET', `/runs/${TOP}/messages`))).toMatchObject({
      statusCode: 200,
    });
    expect(await api(request('GET', '/nowhere'))).toMatchObject({ statusCode: 404 });
  });

  test('tell those who follow a run, by a function that changes nothing but its note of them', async () => {
    recordLog();
    const name = 'top-00000000follow';
    stubModel(delegates);
    const opened = await (await cold('open'))(opening(name, { agent: 'top', prompt: LONG }));
    await (
      await cold('turn')
    )({ ...opened, execution: arn(name), turn: 1, outcomes: [], attempt: 0, waits: 0 });
    const follow = { ...request('GET', `/runs/${name}/events`), routeKey: 'GET /runs/{id}/events' };
    for (let times = 0; times < 2; times++) {
      const { statusCode, body } = await (await cold('watch'))(follow);
      expect([statusCode, Buffer.from(String(body), 'base64').toString()]).toEqual([
        200,
        expect.stringContaining('"type":"RUN_STARTED"'),
      ]);
    }
    expect(await (await cold('watch'))(request('GET', '/runs'))).toMatchObject({ statusCode: 404 });
    // By another spelling of its path, it would come to the function that starts runs.
    const escaped = { ...request('GET', `/runs/${name}/%65vents`), routeKey: '$default' };
    expect(await (await cold('api'))(escaped)).toMatchObject({ statusCode: 403 });
  });

  test('let callers choose the models that the environment lists', async () => {
    const choose = request('POST', '/agents/top/runs', { model: 'openai/gpt-5.1' });
    expect(await (await cold('api'))(choose)).toMatchObject({
      statusCode: 400,
      body: expect.stringContaining('model must be anthropic/claude-sonnet-4-5; it is openai/gpt-5.1'),
    });
    const listed = { CADRE_API_MODELS: 'openai/gpt-5, openai/gpt-5.1' };
    expect(await (await cold('api', listed))(choose)).toMatchObject({ statusCode: 202 });
  });

  test('log a fault under the id that the client gets', async () => {
    const lines = recordLog();
    const api = await cold('api', { CADRE_TABLE: 'no-such-table' });
    const { statusCode, body } = await api(request('GET', '/runs'));
    expect(statusCode).toBe(500);
    const { id } = JSON.parse(String(body));
    expect(lines).toMatchObject([
      { level: 'ERROR', id, method: 'GET', path: '/runs', name: 'StoreError', stack: expect.any(String) },
    ]);
  });

  test('carry out calls of tools on files of the bucket, and keep what came of them', async () => {
    const lines = recordLog();
    const name = 'worker-00000000000001';
    const long = `${'漢'.repeat(1_900)}\n`.repeat(30);
    const files = new Map([
      ['edit.md', 'one\n'],
      ['long.md', long],
      ['old.md', 'to be deleted\n'],
    ]);
    for (const [path, text] of files) {
      const object = { bytes: Buffer.from(text), contentType: 'text/plain', checksum: '' };
      deployed.aws.bucket.objects.set(`workspace/work/${path}`, object);
    }
    const turns = [
      [
        ['list_directory', {}],
        ['read_file', { path: 'edit.md' }],
        ['read_file', { path: 'long.md' }],
        ['read_file', { path: 'old.md' }],
      ],
      [
        ['edit_file', { path: 'edit.md', old_string: 'one', new_string: 'two' }],
        ['edit_file', { path: 'edit.md', old_string: 'two', new_string: 'three' }],
        ['write_file', { path: 'new.md', content: LONG }],
        ['delete_file', { path: 'old.md' }],
      ],
    ] as const;
    const content = turns.map((calls) =>
      calls.map(([tool, input], index) => ({ type: 'tool_use', id: `${index}`, name: tool, input })),
    );
    const requests = stubModel(
      ...content.map((calls) => ({ content: calls, stop_reason: 'tool_use' })),
      says('done'),
    );
    const opened = await (await cold('open'))(opening(name, { agent: 'worker', prompt: 'go' }));
    const event = { ...opened, execution: arn(name), outcomes: [], attempt: 0, waits: 0 };
    for (const [index, calls] of turns.entries()) {
      await (
        await cold('turn')
      )({ ...event, turn: index + 1 });
      for (const call of calls.keys()) {
        const answer = await (await cold('tool'))({ ...event, turn: index + 1, call: call + 1, timeout: 30 });
        expect(answer).toEqual({ call: call + 1 });
      }
    }
    await (
      await cold('turn')
    )({ ...event, turn: 3 });
    const kept = [...deployed.aws.bucket.objects].filter(([key]) => key.startsWith('workspace/work/'));
    expect(Object.fromEntries(kept.map(([key, { bytes }]) => [key, String(bytes)]))).toEqual({
      'workspace/work/edit.md': 'three\n',
      'workspace/work/long.md': long,
      'workspace/work/new.md': LONG,
    });
    const told = v.parse(
      v.pipe(v.string(), v.parseJson(), v.object({ messages: v.array(v.object({ content: v.unknown() })) })),
      await requests[2]?.text(),
    );
    expect(JSON.stringify(told.messages.at(-1))).not.toContain('Error');
    expect(lines.filter(({ event: what }) => what === 'call_finished').map(({ tool }) => tool)).toEqual(
      turns.flat().map(([tool]) => tool),
    );
    expect(JSON.stringify(lines)).not.toMatch(/edit\.md|漢|far too long/);
  });

  test('carry out calls on what an agent remembers, once however often they are made', async () => {
    recordLog();
    const name = 'learner-00000000000001';
    const uses = (tool: string, input: object) => ({
      content: [{ type: 'tool_use', id: '0', name: tool, input }],
      stop_reason: 'tool_use',
    });
    const opened = await (await cold('open'))(opening(name, { agent: 'learner', prompt: 'go' }));
    const event = { ...opened, execution: arn(name), outcomes: [], attempt: 0, waits: 0 };
    /** Makes a turn, and its call twice at once. @returns what its model was told */
    const make = async (turn: number, answer: object, ...embeddings: object[]) => {
      const requests = stubModel(answer, ...embeddings);
      await (
        await cold('turn')
      )({ ...event, turn });
      if (answer !== END) {
        const call = { ...event, turn, call: 1, timeout: 60 };
        await Promise.all([(await cold('tool'))(call), (await cold('tool'))(call)]);
      }
      return (await requests[0]?.text()) ?? '';
    };
    const END = says('done');
    await make(1, uses('memory_save', { text: 'Ada likes tea' }));
    const embedding = { data: [{ index: 0, embedding: [1, 2] }] };
    const saved = await make(2, uses('memory_search', { query: 'tea' }), embedding, embedding);
    const [, id = ''] = /Saved: ([0-9a-f]{12})"/.exec(saved) ?? [];
    const found = await make(3, uses('memory_forget', { id }));
    expect(found).toMatch(new RegExp(`"${id}  \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ  Ada likes tea"`));
    expect(await make(4, END)).toContain(`"Forgotten: ${id}"`);
  });

  test('keep what is of a person from the next one, where the API takes tokens', async () => {
    recordLog();
    const issuer = 'https://login.example.org';
    const told = { CADRE_ISSUER: issuer };
    /** Starts a run with a token, and carries it as far as these answers of its model take it. */
    const run = async (sub: string, agent: string, prompt: string, ...answers: object[]) => {
      const { requestContext, ...rest } = request('POST', `/agents/${agent}/runs`, { prompt });
      const authorizer = { jwt: { claims: { iss: issuer, sub }, scopes: null } };
      const api = await cold('api', told);
      const { body } = await api({ ...rest, requestContext: { ...requestContext, authorizer } });
      const { run_id: name } = v.parse(
        v.pipe(v.string(), v.parseJson(), v.object({ run_id: v.string() })),
        body,
      );
      const requests = stubModel(...answers);
      const opened = await (await cold('open', told))(opening(name, { agent, run: name }));
      const event = { ...opened, execution: arn(name), outcomes: [], attempt: 0, waits: 0 };
      for (const turn of answers.keys()) {
        await (
          await cold('turn')
        )({ ...event, turn: turn + 1 });
        if (turn + 1 === answers.length) break;
        await (
          await cold('tool')
        )({ ...event, turn: turn + 1, call: 1, timeout: 30 });
      }
      return Promise.all(requests.map((asked) => asked.text()));
    };
    const secret = 'My name is Ada and my salary is 98765';
    await run('ada', 'top', secret, says('noted'));
    const [his] = await run('bob', 'top', 'who am I?', says('nobody'));
    const [hers] = await run('ada', 'top', 'who am I?', says('Ada'));
    expect([his?.includes('98765'), hers?.includes('98765')]).toEqual([false, true]);
    // Nor is either shown the files of the account.
    expect([his, hers].filter((text) => text?.includes('what is shown'))).toEqual([]);

    const use = (name: string, input: object) => ({
      content: [{ type: 'tool_use', id: 'a', name, input }],
      stop_reason: 'tool_use',
    });
    const write = use('write_file', { path: 'secret.md', content: secret });
    await run('ada', 'worker', 'go', write, says('done'));
    const read = await run('bob', 'worker', 'go', use('read_file', { path: 'secret.md' }), says('done'));
    expect(read[1]).toContain('Error: ');
    expect(read.join('\n')).not.toContain('98765');
    const written = [...deployed.aws.bucket.objects.keys()].filter((key) => key.endsWith('/secret.md'));
    expect(written).toEqual([`workspace@${ownerKey(issuer, 'ada')}/work/secret.md`]);
  });

  test("call functions of the user's own: by the names that modules are deployed under, and the ARNs that are given", async () => {
    recordLog();
    const { url, requests: invoked } = await lambdaThat(answers(200, {}, '{"fine":true}'));
    const name = 'caller-00000000000001';
    const calls = ['weather', 'stock', 'price'].map((tool, index) => ({
      type: 'tool_use',
      id: `${index}`,
      name: tool,
      input: { of: tool },
    }));
    const requests = stubModel({ content: calls, stop_reason: 'tool_use' }, says('done'));
    const opened = await (await cold('open'))(opening(name, { agent: 'caller', prompt: 'go' }));
    const event = { ...opened, execution: arn(name), outcomes: [], attempt: 0, waits: 0 };
    await (
      await cold('turn')
    )({ ...event, turn: 1 });
    for (const call of [1, 2, 3]) {
      const tool = await cold('tool', {
        AWS_ENDPOINT_URL_LAMBDA: url,
        CADRE_ENVIRONMENT: 'shop/dev',
        CADRE_FUNCTIONS: JSON.stringify({ prices: PRICES, 'fn-weather': '3' }),
      });
      expect(await tool({ ...event, turn: 1, call, timeout: 30 })).toEqual({ call });
    }
    await (
      await cold('turn')
    )({ ...event, turn: 2 });
    expect(invoked).toEqual([
      'POST /2015-03-31/functions/shop-dev-fn-weather:3/invocations {"of":"weather"}',
      'POST /2015-03-31/functions/team-stock:live/invocations {"of":"stock"}',
      `POST /2015-03-31/functions/${PRICES}/invocations {"of":"price"}`,
    ]);
    expect(await requests[1]?.text()).toContain('{\\"fine\\":true}');
  });
});

test('the tools of a server are listed and called with its secrets, which no other code gets', async () => {
  const lines = recordLog();
  const docs = createMcpHandler(createServer);
  const authorizations = new Set<string | null>();
  const requests = stubModel(
    {
      content: [{ type: 'tool_use', id: 'a', name: 'mcp__docs__echo', input: { word: 'hi' } }],
      stop_reason: 'tool_use',
    },
    says('done'),
  );
  const model = globalThis.fetch;
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    if (!request.url.startsWith('https://docs.example.com/')) return model(input, init);
    authorizations.add(request.headers.get('authorization'));
    return docs.fetch(request);
  });
  const name = 'served-00000000000001';
  const opened = await (await cold('open'))(opening(name, { agent: 'served', prompt: 'go' }));
  const event = { ...opened, execution: arn(name), outcomes: [], attempt: 0, waits: 0 };
  const turn = await cold('turn');
  await turn({ ...event, turn: 1 });
  const tool = await cold('tool');
  expect(await tool({ ...event, turn: 1, call: 1, timeout: 30 })).toEqual({ call: 1 });
  await turn({ ...event, turn: 2 });
  expect([...authorizations]).toEqual(['Bearer token-of-docs']);
  const told = await Promise.all(requests.map((request) => request.text()));
  expect(told[1]).toContain('echo: hi');
  expect(JSON.stringify([told, lines])).not.toContain('token-of-docs');
});

describe('the doors for clients of OpenAI and MCP', () => {
  const agents = ({ body }: { body: string }) =>
    JSON.parse(body).data.map(({ id }: { id: string }) => id.slice('cadre/'.length));

  test('list agents as models, and refuse what is not there, each in its own words', async () => {
    const doors = await coldDoors();
    const models = await doors(request('GET', '/v1/models'));
    expect([models.statusCode, agents(models)]).toEqual([200, Object.keys(AGENTS).sort()]);
    const messages = [{ role: 'user', content: 'go' }];
    const unknown = await doors(request('POST', '/v1/chat/completions', { model: 'cadre/nobody', messages }));
    expect([unknown.statusCode, JSON.parse(unknown.body)]).toMatchObject([
      404,
      { error: { code: 'model_not_found', param: 'model' } },
    ]);
    const nowhere = await doors(request('GET', '/runs'));
    expect([nowhere.statusCode, nowhere.headers['content-type']]).toEqual([404, 'application/problem+json']);
  });

  test('answer nobody without a token where the environment takes tokens', async () => {
    const tokens = {
      issuer: 'https://login.example.org',
      audience: ['cadre'],
      answerScopes: ['cadre/answer'],
    };
    const doors = await coldDoors({ CADRE_DOOR_TOKENS: JSON.stringify(tokens) });
    const refused = await doors(request('GET', '/v1/models'));
    expect([refused.statusCode, JSON.parse(refused.body)]).toMatchObject([
      401,
      { error: { code: 'invalid_api_key' } },
    ]);
  });

  test('start runs, hand them over as tasks, and stop them', async () => {
    const doors = await coldDoors();
    const call = { name: 'top', arguments: { prompt: LONG, wait: 1 } };
    const started = JSON.parse((await doors(mcpRequest('tools/call', call, TASKS))).body);
    expect(started).toMatchObject({ result: { resultType: 'task', status: 'working' } });
    const { taskId } = started.result;
    expect(taskId).toMatch(/^top-/);
    const cancelled = await (await coldDoors())(mcpRequest('tasks/cancel', { taskId }, TASKS));
    expect(JSON.parse(cancelled.body)).toHaveProperty('result');
    expect(deployed.aws.asked).toContain('states:StopExecution on executions of the machine');
  });

  test('give the answer of a run that was handed over, however long it is', async () => {
    const call = { name: 'run_result', arguments: { run_id: KID, wait: 1 } };
    const { body } = await (await coldDoors())(mcpRequest('tools/call', call));
    expect(JSON.parse(body)).toMatchObject({ result: { content: [{ type: 'text', text: LONG }] } });
  });

  test('ask the people who can be asked, and take the answer in another instance, which wakes no execution itself', async () => {
    recordLog();
    const { url, requests: invoked } = await lambdaThat(answers(202, {}, ''));
    const environment = { AWS_ENDPOINT_URL_LAMBDA: url, CADRE_CONTROL: 'cadre-test-control' };
    const client = { ...TASKS, elicitation: { form: {} } };
    const send = async (method: string, params: Record<string, unknown>) =>
      JSON.parse((await (await coldDoors(environment))(mcpRequest(method, params, client))).body);
    const begun = await send('tools/call', { name: 'asker', arguments: { prompt: 'go', wait: 1 } });
    const run: string = begun.result.taskId;
    await askWhich(run);
    const asked = await send('tasks/get', { taskId: run });
    expect(asked).toMatchObject({ result: { status: 'input_required' } });
    const [key = ''] = Object.keys(asked.result.inputRequests);
    const forged = { name: 'asker', arguments: { prompt: 'go' }, requestState: 'AAAA' };
    expect(await send('tools/call', forged)).toMatchObject({ error: { code: -32602 } });
    // It only reads.
    const read = await send('tools/call', { name: 'run_result', arguments: { run_id: run, wait: 1 } });
    expect(read).toMatchObject({ result: { status: 'working', taskId: run } });
    expect(invoked).toEqual([]);
    const inputResponses = { [key]: { action: 'accept', content: { text: 'this one' } } };
    expect(await send('tasks/update', { taskId: run, inputResponses })).toHaveProperty('result');
    expect(invoked).toEqual([
      `POST /2015-03-31/functions/cadre-test-control/invocations {"answered":{"run":"${run}","turn":1,"call":1}}`,
    ]);
  });
});

describe('spans are exported', () => {
  const settings = { endpoint: 'https://otlp.example.com', headers: { Authorization: 'Bearer ${TOKEN}' } };
  const env = { CADRE_TELEMETRY: JSON.stringify(settings), CADRE_TELEMETRY_SECRETS: 'telemetry' };
  const streamed = (...keys: [partition: string, sort: string][]) => ({
    Records: keys.map(([partition, sort]) => ({
      eventName: 'MODIFY',
      dynamodb: { Keys: { partition: { S: partition }, sort: { S: sort } }, SequenceNumber: '1' },
    })),
  });

  /** A collector's answers, and the names of the spans that it was sent. */
  function stubCollector(status = 200) {
    const sent: { url: string; authorization: string | null; text: string }[] = [];
    vi.stubGlobal('fetch', async (input: Request) => {
      const text = gunzipSync(Buffer.from(await input.arrayBuffer())).toString('latin1');
      sent.push({ url: input.url, authorization: input.headers.get('authorization'), text });
      return new Response(null, { status });
    });
    return sent;
  }

  test('from the stream of the table, and again where they are not taken', async () => {
    recordLog();
    const run = 'kid-00000000000401';
    stubModel(says('done'));
    const opened = await (await cold('open'))(opening(run, { agent: 'kid', prompt: 'go' }));
    await (
      await cold('turn')
    )({ ...opened, execution: arn(run), turn: 1, outcomes: [], attempt: 0, waits: 0 });
    const keys = streamed(
      [`run#${run}`, 'turn#0001'],
      [`tree#${run.slice('kid-'.length)}`, `run#${run}`],
      ['questions', `${run}#0001#001`],
    );
    stubCollector(503);
    await expect((await cold('telemetry', env))(keys)).rejects.toThrow(
      'the spans were not taken: the endpoint answered 503',
    );
    const sent = stubCollector();
    await (
      await cold('telemetry', env)
    )(keys);
    expect(sent).toMatchObject([
      { url: 'https://otlp.example.com/v1/traces', authorization: 'Bearer token of the collector' },
      { url: 'https://otlp.example.com/v1/metrics', authorization: 'Bearer token of the collector' },
    ]);
    for (const part of [
      'gen_ai.client.token.usage',
      'gen_ai.client.operation.duration',
      'cadre.run.duration',
    ])
      expect(sent[1]?.text).toContain(part);
    for (const part of ['invoke_agent kid', 'chat claude-sonnet-4-5', 'deployment.environment.name'])
      expect(sent[0]?.text).toContain(part);
    expect(sent[0]?.text).not.toContain('done');
    await (
      await cold('telemetry', env)
    )(streamed(['run#gone', 'turn#0001'], ['open', 'x']));
    expect(sent).toHaveLength(2);
    const lacking = JSON.stringify({ ...settings, headers: { Authorization: 'Bearer ${OTHER}' } });
    await expect((await cold('telemetry', { ...env, CADRE_TELEMETRY: lacking }))(keys)).rejects.toThrow(
      'telemetry needs the secret OTHER: add "OTHER" to the secret TelemetrySecret of this environment',
    );
  });

  test("signed to CloudWatch's endpoint", async () => {
    recordLog();
    const sent = stubCollector();
    const toXRay = {
      ...env,
      CADRE_TELEMETRY: JSON.stringify({ endpoint: 'https://xray.eu-central-1.amazonaws.com', metrics: true }),
    };
    vi.stubGlobal('fetch', async (input: URL, init: RequestInit) => {
      const request = new Request(input, init);
      sent.push({ url: request.url, authorization: request.headers.get('authorization'), text: '' });
      return new Response(null, { status: 200 });
    });
    await (
      await cold('telemetry', toXRay)
    )(streamed(['run#kid-00000000000401', 'turn#0001']));
    const signature = (service: string) =>
      expect.stringMatching(
        new RegExp(`^AWS4-HMAC-SHA256 Credential=test/\\d{8}/eu-central-1/${service}/aws4_request`),
      );
    const sentTo = (service: string, signal: string) => ({
      url: `https://${service}.eu-central-1.amazonaws.com/v1/${signal}`,
      authorization: signature(service),
      text: '',
    });
    expect(sent).toEqual([sentTo('xray', 'traces'), sentTo('monitoring', 'metrics')]);
  });
});

describe('people are told of questions', () => {
  const NOTIFY = JSON.stringify({
    settings: {
      webhook: 'https://hooks.example.com/cadre',
      secret: '${SIGN}',
      slack: '${SLACK}',
      mail: 'a@example.com',
    },
    base: 'https://api.example.org',
    topic: 'arn:aws:sns:eu-central-1:123456789012:questions',
  });
  const env = { CADRE_NOTIFY: NOTIFY, CADRE_NOTIFY_SECRETS: 'notifications', CADRE_ANSWER_LINKS: 'true' };

  /** What was sent elsewhere. */
  function stubHooks(status = 200) {
    const sent: { url: string; body: Record<string, unknown>; signature: string | null }[] = [];
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      const { body, headers } = new Request(url, init);
      const text = await new Response(body).text();
      sent.push({ url, body: JSON.parse(text), signature: headers.get('x-cadre-signature') });
      return new Response(null, { status });
    });
    return sent;
  }

  test('by all that is set up, with a link that answers, and each once', async () => {
    recordLog();
    const run = 'asker-00000000000301';
    await askWhich(run);
    const sent = stubHooks();
    const told = { detail: { environment: 'test', run_id: run, question_id: 't1c1' } };
    deployed.aws.published.length = 0;
    // EventBridge may deliver an event twice.
    for (let times = 0; times < 2; times++) await (await cold('notify', env))(told);
    expect(sent.map(({ url }) => url).sort()).toEqual([
      'https://hooks.example.com/cadre',
      'https://slack.example.com/hook',
    ]);
    const { body, signature } = sent.find(({ url }) => url.includes('hooks')) ?? {};
    expect(body).toMatchObject({
      type: 'question',
      run_id: run,
      question: 'which?',
      url: `https://api.example.org/#/runs/${run}`,
    });
    expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(deployed.aws.published).toMatchObject([
      {
        Subject: 'asker asks',
        Message: expect.stringMatching(/^asker asks:\n\nwhich\?\n\nUntil .*Answer here, once: /s),
      },
    ]);
    const answerPath = new URL(String(body?.['answer_url'])).pathname;
    const without = await cold('api', { CADRE_ANSWER_LINKS: '' });
    expect(await without(request('GET', answerPath))).toMatchObject({ statusCode: 404 });
    const { url, requests: invoked } = await lambdaThat(answers(202, {}, ''));
    const api = await cold('api', {
      ...env,
      AWS_ENDPOINT_URL_LAMBDA: url,
      CADRE_CONTROL: 'cadre-test-control',
    });
    expect(await api(request('GET', answerPath))).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('which?'),
    });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const answering = { ...request('POST', answerPath, undefined, form), body: 'text=this+one' };
    expect(await api(answering)).toMatchObject({ statusCode: 200 });
    expect(invoked).toEqual([expect.stringContaining(`{"answered":{"run":"${run}","turn":1,"call":1}}`)]);
    // A second click; and another answer.
    expect(await api(answering)).toMatchObject({ statusCode: 200 });
    expect(await api({ ...answering, body: 'text=that+one' })).toMatchObject({ statusCode: 410 });
    // Who was told nothing before the answer is not told after it.
    await (
      await cold('notify', env)
    )(told);
    expect(sent).toHaveLength(2);
  });

  test('and of none that a run asked which was stopped since', async () => {
    recordLog();
    const run = 'asker-00000000000304';
    await askWhich(run);
    const stopped = { executionArn: arn(run), name: run, status: 'ABORTED', error: null, cause: null };
    await (
      await cold('settle')
    )({ detail: stopped });
    const sent = stubHooks();
    await (
      await cold('notify', env)
    )({ detail: { environment: 'test', run_id: run, question_id: 't1c1' } });
    expect(sent).toEqual([]);
  });

  test('once more before it is too late', async () => {
    recordLog();
    const run = 'asker-00000000000302';
    await askWhich(run, 3_600_000);
    const sent = stubHooks();
    const remind = async () => (await cold('notify', env))({ remind: true });
    await remind();
    expect(sent).toEqual([]);
    const question = JSON.parse(
      String((await (await cold('api'))(request('GET', `/runs/${run}/questions/t1c1`)))['body']),
    );
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(question.expires_at) - 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    for (let times = 0; times < 2; times++) await remind();
    const reminders = sent.filter(({ body }) => body['run_id'] === run);
    expect(reminders.map(({ body }) => body['type'])).toEqual(['reminder']);
  });

  test('or Lambda tries again', async () => {
    recordLog();
    const run = 'asker-00000000000303';
    await askWhich(run);
    stubHooks(400);
    const told = { detail: { environment: 'test', run_id: run, question_id: 't1c1' } };
    await expect((await cold('notify', env))(told)).rejects.toThrow(
      `people were not told of question t1c1 of run "${run}": webhook: it answered 400; slack: it answered 400`,
    );
    const sent = stubHooks();
    await (
      await cold('notify', env)
    )(told);
    expect(sent).toHaveLength(2);
  });
});

test('the page is served where people can sign in, and nowhere else', async () => {
  const issuer = 'https://login.example.org';
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: 'https://tokens.example.org/token',
    });
  });
  const signIn = JSON.stringify({ issuer, clientId: 'page', scope: 'openid' });
  const api = await cold('api', { CADRE_SIGN_IN: signIn });
  const page = await api(request('GET', '/'));
  expect(page).toMatchObject({
    statusCode: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining(
        "connect-src 'self' https://tokens.example.org https://texts.s3.eu-central-1.amazonaws.com;",
      ),
    },
    body: expect.stringContaining('<title>Cadre</title>'),
  });
  const script = await api(request('GET', '/console.js', undefined, { 'accept-encoding': 'gzip' }));
  expect(script).toMatchObject({
    statusCode: 200,
    headers: { 'content-encoding': 'gzip' },
    isBase64Encoded: true,
  });
  const [chunk = ''] =
    /chunks\/[\w-]+\.js/.exec(String(gunzipSync(Buffer.from(String(script['body']), 'base64')))) ?? [];
  expect(await api(request('GET', `/${chunk}`))).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': 'text/javascript; charset=utf-8' },
  });
  expect(await api(request('GET', '/console-config.json'))).toMatchObject({
    body: expect.stringContaining('"client_id":"page"'),
  });
  expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
  expect(await api(request('GET', '/nowhere'))).toMatchObject({ statusCode: 404 });
  expect(await (await cold('api', { CADRE_SIGN_IN: '' }))(request('GET', '/'))).toMatchObject({
    statusCode: 404,
    headers: { 'content-type': 'application/problem+json' },
  });
});

/** The permissions of a role that no function of ours uses, and why. */
const NOT_ASKED_FOR = new Set([
  // Lambda sends events that the functions failed at.
  'control: sqs:SendMessage on the queue of dead letters',
  'settle: sqs:SendMessage on the queue of dead letters',
  'notify: sqs:SendMessage on the queue of dead letters',
  // Lambda reads the stream, in the name of the function.
  "telemetry: dynamodb:DescribeStream on the table's stream",
  "telemetry: dynamodb:GetRecords on the table's stream",
  "telemetry: dynamodb:GetShardIterator on the table's stream",
  'telemetry: dynamodb:ListStreams on everything',
  // Asked for a turn that is too large for an item, which none is here.
  'telemetry: s3:GetObject on runs/ of the bucket',
  // Asked for a question that is too large for an item, which none is here.
  'notify: s3:GetObject on runs/ of the bucket',
  // Asked for a run that has ended, and for a turn that came too late for its bucket.
  'batch: dynamodb:DeleteItem on lists of what is open in the table',
  'batch: dynamodb:UpdateItem on the table',
  'batch: s3:GetObject on runs/ of the bucket',
  'batch: s3:PutObject on runs/ of the bucket',
  'batch: states:StartExecution on the machine of batches',
  // It has an endpoint of its own in these tests, which shows what it is asked.
  'tool: lambda:InvokeFunction on functions that agents name',
  // Asked for a run whose time is over, which none is here.
  'watch: states:DescribeExecution on executions of the machine',
  // Asked for a run that has had a remote agent do a task, which none is here.
  'control: lambda:InvokeFunction on the tool function',
  'settle: lambda:InvokeFunction on the tool function',
  // Lambda's API has a test of its own above.
  'api: lambda:InvokeFunction on the control function',
  'doors: lambda:InvokeFunction on the control function',
  'tool: bedrock:InvokeModel on models on Bedrock that agents use',
  // Remote agents are rehearsed (test/rehearsal/remote-agents.ts).
  'tool: dynamodb:Query on turns in the table',
  // Sign-ins are rehearsed (test/rehearsal/sign-ins.slow.test.ts).
  'open: secretsmanager:GetSecretValue on the secret of sign-ins',
  'tool: secretsmanager:GetSecretValue on the secret of sign-ins',
  'api: secretsmanager:GetSecretValue on the secret of sign-ins',
  'api: dynamodb:DeleteItem on sign-ins in the table',
  // Commands have tests of their own (test/places/aws/sandbox.slow.test.ts).
  'tool: lambda:InvokeFunction on the functions that commands run in',
  'tool: sts:AssumeRole on the role for the files of commands',
  // Bedrock's stream is no JSON: what is sent to it is tested with the provider.
  'turn: bedrock:CountTokens on models on Bedrock that agents use',
  'turn: bedrock:InvokeModel on models on Bedrock that agents use',
  'turn: bedrock:InvokeModelWithResponseStream on models on Bedrock that agents use',
  'turn: bedrock:ApplyGuardrail on guardrails of Bedrock that agents use',
]);

/** Parts of the table, which all but one function each may use as they do the rest. */
const PARTS = /(notes of who watches|memories|keys) in the table/;

describe('what functions asked for', () => {
  test.each(Object.entries(FUNCTIONS))('is all that they may do, and no less: %s', (name, { may }) => {
    const allowed = Object.entries(may)
      .flatMap(([place, actions]: [string, readonly string[]]) =>
        actions.map((action) => `${action} on ${place}`),
      )
      .filter((access) => !NOT_ASKED_FOR.has(`${name}: ${access}`));
    const asked = [...done[v.parse(v.picklist(NAMES), name)]].map((access) => {
      return allowed.includes(access) ? access : access.replace(PARTS, 'the table');
    });
    expect([...new Set(asked)].sort()).toEqual(allowed.sort());
  });
});

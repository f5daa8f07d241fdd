import { seconds } from '../../../src/core/records/times.ts';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { showRun } from '../../../src/doors/cli/commands/show.ts';
import { processName } from '../../../src/places/local/process-name.ts';
import { stopRun } from '../../../src/doors/cli/commands/stop.ts';
import { Costs, RunList, RunTree } from '../../../src/doors/api/answers.ts';
import { ModelError } from '../../../src/errors.ts';
import { RunStatus } from '../../../src/core/reports/run-status.ts';
import { openLmdbTable } from '../../../src/places/local/store/lmdb/table.ts';
import { call, latch, silence } from '../../fixtures/stage.ts';
import { problem, serveAgents, serveAgentsIn, wallClock } from './served-agents.ts';
import { aRun, aSubAgent } from '../../fixtures/records.ts';

const DELEGATING = {
  top: ({ turn, results }: { turn: number; results: string[] }) =>
    turn === 1 ? [call('kid', 'dig', 'deep')] : `top heard: ${results.join()}`,
  kid: () => 'gold',
};
const MAY_CALL = { top: 'sub_agents = ["kid"]\nsystem_prompt = "Be brief."\n' };

async function delegated() {
  const served = await serveAgents(DELEGATING, MAY_CALL);
  const { body } = await served.post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  const top = String(body['run_id']);
  const kid = `kid-${top.slice('top-'.length)}-t1c1`;
  return { ...served, top, kid };
}

/** Of models whose price is not known. */
const COST = { usd: null, cache_read_tokens: 0, cache_write_tokens: 0 };

describe('a run', () => {
  test('is shown alone, with its tree, and with its conversation', async () => {
    const { get, top, kid } = await delegated();
    const overview = {
      run_id: top,
      agent: 'top',
      status: 'succeeded',
      model: 'stage/top',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
      depth: 0,
      task: 'go',
      started_at: expect.any(String),
      ended_at: expect.any(String),
      duration_ms: expect.any(Number),
      times: expect.objectContaining({ model: expect.any(Number), person: 0, gap: 0 }),
      turns: 2,
      tool_calls: 1,
      input_tokens: 30,
      output_tokens: 2,
      ...COST,
      failed_calls: 0,
      retries: 0,
    };
    const below = {
      ...overview,
      run_id: kid,
      agent: 'kid',
      model: 'stage/kid',
      depth: 1,
      task: 'dig',
      parent: { run: top, turn: 1, call: 1 },
      turns: 1,
      tool_calls: 0,
      input_tokens: 10,
      output_tokens: 1,
    };
    const tree = { runs: 2, turns: 3, tool_calls: 1, input_tokens: 40, output_tokens: 3, ...COST };
    const alone = { runs: 1, turns: 1, tool_calls: 0, input_tokens: 10, output_tokens: 1, ...COST };
    expect((await get(`/runs/${top}`)).body).toEqual({ ...overview, tree });
    expect((await get(`/runs/${kid}`)).body).toEqual({ ...below, tree: alone });
    const asked = { open_questions: [] };
    const spans = expect.any(Array);
    expect((await get(`/runs/${top}/tree`)).body).toEqual({
      ...overview,
      tree,
      runs: [
        { ...overview, spans },
        { ...below, spans },
      ],
      ...asked,
    });
    expect((await get(`/runs/${kid}/tree`)).body).toEqual({
      ...below,
      tree: alone,
      runs: [{ ...below, spans }],
      ...asked,
    });
    expect((await get(`/runs/${kid}/result`)).body).toMatchObject({ content: 'gold', tree: alone });
  });

  test('is the same for the command', async () => {
    const { get, stage, top } = await delegated();
    const io = stage.io();
    await withEnvironment(io, {}, (environment) =>
      showRun(top, environment, { json: true, messages: false }, io),
    );
    const { open_questions: asked, ...tree } = (await get(`/runs/${top}/tree`)).body;
    expect([tree, asked]).toEqual([JSON.parse(io.out), []]);
  });

  test.each(['nothing', 'top-00000000000000', '..%2F..', 'top-00000000000000-t1c1'])(
    'that there is none of is not found: %s',
    async (id) => {
      const { get, post } = await serveAgents({ top: () => '' });
      const notFound = problem(404, 'Not Found', `no run "${decodeURIComponent(id)}"`);
      for (const part of ['', '/tree', '/messages', '/result']) {
        expect((await get(`/runs/${id}${part}`)).body).toEqual(notFound);
      }
      expect((await post(`/runs/${id}/stop`)).body).toEqual(notFound);
    },
  );
});

describe('costs', () => {
  test("are added up by what is asked for, and are each run's own", async () => {
    const { get, post } = await serveAgents(
      {
        top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'done'),
        kid: () => 'y',
        odd: () => {
          throw new ModelError('auth', 'no such key');
        },
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    for (const agent of ['top', 'top', 'odd']) await post(`/agents/${agent}/runs?wait=25`);
    const rows = async (query: string) => v.parse(Costs, (await get(`/costs?${query}`)).body).rows;
    const day = new Date().toISOString().slice(0, 10);
    const own = { trees: 2, succeeded: 2, failed: 0, usd: 0 };
    const byAgent = new Map((await rows('by=agent')).map((row) => [row.agent, row]));
    expect(byAgent.get('odd')).toEqual({
      agent: 'odd',
      ...own,
      runs: 1,
      trees: 1,
      succeeded: 0,
      failed: 1,
      tokens: 0,
    });
    expect(byAgent.get('top')).toEqual({
      agent: 'top',
      ...own,
      runs: 2,
      tokens: expect.any(Number),
      unpriced: 2,
    });
    expect(byAgent.get('kid')).toMatchObject({ runs: 2, trees: 0, succeeded: 2 });
    expect(await rows('')).toMatchObject([{ day, runs: 5, trees: 3, succeeded: 4, failed: 1 }]);
    const tree = (await get('/runs?limit=1&agent=top')).body;
    const { runs } = v.parse(RunList, tree);
    const [all] = await rows('by=day');
    const each = (runs[0]?.tree.input_tokens ?? 0) + (runs[0]?.tree.output_tokens ?? 0);
    expect(all?.tokens).toBe(2 * each);
    expect(await rows('until=2026-01-01&since=2025-12-30')).toEqual([]);
  });

  test('are added up for as many days as one answer can take, and for none to come', async () => {
    const { get, post } = await serveAgents({ top: () => 'done' });
    await post('/agents/top/runs?wait=25');
    const { body } = await get('/costs?since=0001-01-01&until=9999-12-31');
    const { rows, next } = v.parse(Costs, body);
    expect(rows).toMatchObject([{ runs: 1 }]);
    const days = (Date.now() - Date.parse(next ?? '')) / 86_400_000;
    expect(Math.round(days / 100)).toBe(4);
  });

  test.each([
    ['by=hour', 'by', 'must be some of day,agent,model,owner,issuer,version,pack, or tag:<key> alone'],
    ['since=soon', 'since', 'must be an age such as 7d, or ISO 8601'],
    ['until=2026-02-30', 'until', 'must be an age such as 7d, or ISO 8601'],
    ['until=2026-02-30T00:00:00Z', 'until', 'must be an age such as 7d, or ISO 8601'],
  ])('cannot be asked for as %s', async (query, field, detail) => {
    const { get } = await serveAgents({ top: () => '' });
    expect((await get(`/costs?${query}`)).body).toMatchObject({ status: 400, detail: `${field} ${detail}` });
  });
});

describe('the list of runs', () => {
  test('is empty where nothing ran', async () => {
    const { get } = await serveAgents({ top: () => '' });
    expect((await get('/runs')).body).toEqual({ runs: [], next: null });
  });

  test('gives page after page, newest first', async () => {
    let time = Date.parse('2026-01-01T00:00:00Z');
    const clock = { ...wallClock, now: () => time++ };
    const { get, post } = await serveAgents({ top: () => '' }, {}, {}, clock);
    const started: unknown[] = [];
    for (let index = 0; index < 5; index++) {
      started.unshift((await post('/agents/top/runs?wait=25')).body['run_id']);
    }
    const listed: unknown[] = [];
    const sizes: number[] = [];
    for (let after = ''; ;) {
      const { body } = await get(`/runs?limit=2${after}`);
      const { runs, next } = v.parse(RunList, body);
      sizes.push(runs.length);
      listed.push(...runs.map(({ run_id }) => run_id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(listed).toEqual(started);
    expect(sizes).toEqual([2, 2, 1]);
  });

  test('are narrowed to an agent, a state and a text', async () => {
    const failing = () => {
      throw new ModelError('auth', 'no such Key');
    };
    const { get, post } = await serveAgents({ top: () => '', odd: failing });
    const start = async (agent: string, prompt: string) =>
      (await post(`/agents/${agent}/runs?wait=25`, { json: { prompt } })).body['run_id'];
    const [fine, other, failed] = [
      await start('top', 'dig 404'),
      await start('top', 'climb'),
      await start('odd', ''),
    ];
    const listed = async (query: string) =>
      v.parse(RunList, (await get(`/runs?${query}`)).body).runs.map(({ run_id }) => run_id);
    expect(await listed('agent=top')).toEqual([other, fine]);
    expect(await listed('agent=top&limit=1')).toEqual([other]);
    expect(await listed('status=failed')).toEqual([failed]);
    expect(await listed('text=404')).toEqual([fine]);
    expect(await listed('text=NO%20SUCH%20key')).toEqual([failed]);
    expect(await listed('text=climb&status=failed')).toEqual([]);
    expect(await listed('')).toEqual([failed, other, fine]);
    expect(await listed('since=1h')).toEqual([failed, other, fine]);
    expect(await listed('until=1h')).toEqual([]);
    expect(await listed('since=2026-01-01&until=2026-01-02')).toEqual([]);
  });

  test('are found by their tags, and by words of their whole trees, which are shown where they stand', async () => {
    const { get, post } = await serveAgents(
      {
        top: ({ turn }) => (turn === 1 ? [call('kid', 'look at volume 7')] : 'All is well'),
        kid: () => `It was\nfull of ${'very '.repeat(30)}old newspapers`,
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const start = async (tags: Record<string, string>) =>
      String((await post('/agents/top/runs?wait=25', { json: { prompt: 'x', tags } })).body['run_id']);
    const [one, two] = [await start({ customer: 'acme', kind: 'a=b' }), await start({ customer: 'acme' })];
    const listed = async (query: string) =>
      v.parse(RunList, (await get(`/runs?${query}`)).body).runs.map(({ run_id: id, found }) => [id, found]);
    expect(await listed('tag=customer%3Dacme')).toEqual([
      [two, undefined],
      [one, undefined],
    ]);
    expect(await listed('tag=customer%3Dacme&tag=kind%3Da%3Db')).toEqual([[one, undefined]]);
    expect(await listed('text=NEWSPAPERS+full&tag=kind%3Da%3Db')).toEqual([
      [one, { run_id: one, turn: 1, text: `It was full of ${'very '.repeat(29)}…` }],
    ]);
    expect((await listed('text=newspapers&limit=1'))[0]).toEqual([
      two,
      { run_id: two, turn: 1, text: expect.stringMatching(/^… .*old newspapers$/) },
    ]);
    expect(await listed('text=newspapers+missing')).toEqual([]);
  });

  test.each([
    ['limit=0', 'limit', 'must be a whole number from 1 to 100'],
    ['limit=101', 'limit', 'must be a whole number from 1 to 100'],
    ['limit=all', 'limit', 'must be a whole number from 1 to 100'],
    ['after=5', 'after', 'must be the `next` of another page'],
    ['status=odd', 'status', `must be one of ${RunStatus.options.join(', ')}`],
    ['agnet=top', 'agnet', 'is not known; did you mean "agent"?'],
    ['tag=acme', 'tag.0', 'must be key=value'],
    ['tag=a%3Db&tag=a%3Dc', 'tag', 'must name each key once'],
    ['text=%3F%3F', 'text', 'must have a word'],
    ['since=soon', 'since', 'must be an age such as 7d, or ISO 8601'],
    ['until=2026-02-30', 'until', 'must be an age such as 7d, or ISO 8601'],
    ['until=2026-02-30T00:00:00Z', 'until', 'must be an age such as 7d, or ISO 8601'],
    [
      'page=2',
      'page',
      'is not known; known here: limit, after, agent, status, tag, since, until, version, pack, text',
    ],
    ['after=x', 'after', 'must be the `next` of another page'],
  ])('refuses %s', async (query, field, detail) => {
    const { get } = await serveAgents({ top: () => '' });
    expect((await get(`/runs?${query}`)).body).toEqual(
      problem(400, 'Bad Request', `${field} ${detail}`, [{ field, detail }]),
    );
  });
});

describe('stopping', () => {
  test('a run stops everything below it', async () => {
    const atWork = latch();
    const { get, post } = await serveAgents(
      {
        top: () => [call('kid', 'x')],
        kid: (asked) => {
          atWork.open();
          return silence(asked);
        },
      },
      MAY_CALL,
    );
    const { body } = await post('/agents/top/runs');
    await atWork.opened;
    const address = `/runs/${String(body['run_id'])}`;
    const stopping = await post(`${address}/stop`);
    expect(stopping.status).toBe(202);
    expect(stopping.headers.get('location')).toBe(address);
    const result = await get(`${address}/result?wait=25`);
    expect(result.body).toMatchObject({ status: 'stopped', error: 'stopped through the API', content: '' });
    const { runs } = v.parse(RunTree, (await get(`${address}/tree`)).body);
    expect(runs?.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    expect(await post(`${address}/stop`)).toMatchObject({ status: 200, body: { status: 'stopped' } });
  });

  test("a sub-agent's run leaves its parent to go on", async () => {
    const atWork = latch();
    const { get, post } = await serveAgents(
      {
        ...DELEGATING,
        kid: (asked) => {
          atWork.open();
          return silence(asked);
        },
      },
      MAY_CALL,
    );
    const { body } = await post('/agents/top/runs');
    const top = String(body['run_id']);
    await atWork.opened;
    const kid = `kid-${top.slice('top-'.length)}-t1c1`;
    expect(await post(`/runs/${kid}/stop`)).toMatchObject({ status: 202, body: { run_id: kid } });
    expect((await get(`/runs/${top}/result?wait=25`)).body).toMatchObject({
      status: 'succeeded',
      content:
        'top heard: Error: sub-agent "kid" failed - stopped through the API. You may retry or proceed without this result.',
    });
  });

  test('the server stops what runs, and closes it in the store', async () => {
    const atWork = latch();
    const role = {
      top: (asked: Parameters<typeof silence>[0]) => {
        atWork.open();
        return silence(asked);
      },
    };
    const first = await serveAgents(role);
    const { body } = await first.post('/agents/top/runs');
    await atWork.opened;
    await first.server.close();
    const second = await serveAgentsIn(first.stage.cwd, role);
    expect((await second.get(`/runs/${String(body['run_id'])}/result`)).body).toMatchObject({
      status: 'stopped',
      error: 'the server was stopped',
    });
  });

  test('by the command leaves the server to go on with other runs', async () => {
    const [one, other] = [latch(), latch()];
    const { get, post, stage } = await serveAgents({
      top: (asked) => {
        one.open();
        return silence(asked);
      },
      other: async () => {
        await other.opened;
        return 'undisturbed';
      },
    });
    const stopped = String((await post('/agents/top/runs')).body['run_id']);
    const left = String((await post('/agents/other/runs')).body['run_id']);
    await one.opened;
    await handOver(stage.cwd, stopped, process.ppid);
    const io = stage.io();
    expect(await withEnvironment(io, {}, (environment) => stopRun(stopped, environment, io))).toBe(0);
    expect(io.err).toBe(`run "${stopped}" has ended: stopped\n`);
    other.open();
    expect((await get(`/runs/${left}/result?wait=25`)).body).toMatchObject({ content: 'undisturbed' });
  });

  test('reaches a run that another process carries out, by its records', async () => {
    const atWork = latch();
    const role = {
      top: (asked: Parameters<typeof silence>[0]) => {
        atWork.open();
        return silence(asked);
      },
    };
    const first = await serveAgents(role);
    const { body } = await first.post('/agents/top/runs');
    await atWork.opened;
    const run = String(body['run_id']);
    await handOver(first.stage.cwd, run, process.ppid);
    const second = await serveAgentsIn(first.stage.cwd, role);
    const address = `/runs/${run}`;
    expect((await second.get(address)).body).toMatchObject({ status: 'running' });
    expect(await second.post(`${address}/stop`)).toMatchObject({ status: 202, body: { status: 'stopped' } });
    expect((await first.get(`${address}/result?wait=25`)).body).toMatchObject({ status: 'stopped' });
  });
});

describe('a run without a carrier', () => {
  const top = 'top-mwqzvnzpcgdfix';
  const kid = 'kid-mwqzvnzpcgdfix-t1c1';
  const record = aRun({ id: top, model: 'stage/top', timeout: seconds(120) });
  async function interrupted() {
    const served = await serveAgents(DELEGATING, MAY_CALL);
    const { store } = served.stage.pipeline;
    await store.saveRequest(top, { agent: 'top', prompt: 'go' });
    await store.insertRun(record);
    await store.insertRun(aSubAgent(record, { execution: 'arn of kid' }));
    return served;
  }

  test('is shown as interrupted, and its result is not waited for', async () => {
    const { get } = await interrupted();
    expect((await get(`/runs/${top}`)).body).toMatchObject({ status: 'interrupted' });
    for (const [run, wait] of [
      [top, 0],
      [top, 25],
      [kid, 25],
    ]) {
      expect((await get(`/runs/${run}/result?wait=${wait}`)).body).toEqual(
        problem(
          409,
          'Conflict',
          `run "${run}" was interrupted: its process is gone; continue with: POST /runs/${top}/resume, or close it with: POST /runs/${run}/stop`,
        ),
      );
    }
  });

  test('is closed when it is stopped, with everything below it, and can be resumed', async () => {
    const { get, post, stage } = await interrupted();
    const stopped = { status: 'stopped', error: 'stopped through the API' };
    expect(await post(`/runs/${top}/stop`)).toMatchObject({ status: 200, body: stopped });
    expect((await get(`/runs/${top}/result`)).body).toMatchObject(stopped);
    expect((await get(`/runs/${kid}/result`)).body).toMatchObject({
      status: 'stopped',
      error: 'it was stopped',
    });
    expect(await stage.resume(top)).toMatchObject({ code: 0, out: 'top heard: gold' });
  });

  test('is carried to its end when it is resumed', async () => {
    const { get, post } = await interrupted();
    expect(await post(`/runs/${top}/resume`)).toMatchObject({ status: 202, body: { status: 'running' } });
    expect((await get(`/runs/${top}/result?wait=25`)).body).toMatchObject({ content: 'top heard: gold' });
  });

  test('leaves its parent to be gone on with when it is a sub-agent', async () => {
    const { get, post } = await interrupted();
    expect(await post(`/runs/${kid}/stop`)).toMatchObject({ status: 200, body: { status: 'stopped' } });
    expect((await get(`/runs/${top}`)).body).toMatchObject({ status: 'interrupted' });
  });
});

/** Writes another process down as the one that carries the run out, and where it is to serve the API. */
async function handOver(cwd: string, run: string, pid: number): Promise<void> {
  const table = await openLmdbTable(`${cwd}/.cadre/store`);
  const key = { partition: 'running', sort: run };
  const item = await table.get(key);
  const name = processName(pid) ?? '';
  expect(await table.putIfVersion(key, name, item?.version ?? 0)).toMatchObject({ value: name });
  await table.close();
}

test('a run during which the clock was set back took no time, and none below zero', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { post, get } = await serveAgents({
    top: () => {
      vi.setSystemTime(Date.now() - 3_600_000);
      return 'so';
    },
  });
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  const run = `/runs/${String(body['run_id'])}`;
  expect(body).toMatchObject({ duration_ms: 0 });
  expect((await get(run)).body).toMatchObject({ duration_ms: 0, times: { own: 0, model: 0 } });
  expect((await get(`${run}/messages`)).body).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant', turn: { duration_ms: 0 } }],
  });
});

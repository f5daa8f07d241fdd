import { describe, expect, test } from 'vitest';
import { call, latch, silence, use, type Asked, type Role } from '../../fixtures/stage.ts';
import { problem, serveAgents } from './served-agents.ts';

/** Serves an agent with a sub-agent that works until it is ended, and tells when that has begun. */
async function serveKidAtWork(top: Role) {
  const atWork = latch();
  const kid: Role = (asked) => {
    atWork.open();
    return silence(asked);
  };
  return { atWork, ...(await serveAgents({ top, kid }, { top: 'sub_agents = ["kid"]\n' })) };
}

test('a run that is stopped with its caller says by whom', async () => {
  const { atWork, get, post } = await serveKidAtWork(() => [call('kid', 'dig')]);
  const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const top = String(body['run_id']);
  await atWork.opened;
  await post(`/runs/${top}/stop`);
  await get(`/runs/${top}/result?wait=25`);
  const kid = `kid-${top.slice('top-'.length)}-t1c1`;
  expect((await get(`/runs/${kid}/result?wait=25`)).body).toMatchObject({ status: 'stopped' });
  expect((await get(`/runs/${kid}`)).body).toMatchObject({ status: 'stopped', stopped_by: 'the API' });
});

describe('killing', () => {
  test('ends a run below the top for good, and nothing reaches it any more', async () => {
    const { atWork, get, post } = await serveKidAtWork(({ turn, results }) =>
      turn === 1 ? [call('kid', 'dig')] : `heard: ${results.join()}`,
    );
    const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
    const top = String(body['run_id']);
    await atWork.opened;
    const kid = `kid-${top.slice('top-'.length)}-t1c1`;
    const error = `killed by a person (${kid})`;
    const killed = {
      run_id: kid,
      status: 'stopped',
      killed: true,
      error,
      stopped_by: 'the API',
      way_on: 'gone',
    };
    expect(await post(`/runs/${kid}/kill`)).toMatchObject({ status: 202, body: killed });
    expect((await post(`/runs/${kid}/kill`)).body).toEqual(
      problem(409, 'Conflict', `run "${kid}" has ended for good: its status is stopped`),
    );
    expect((await post(`/runs/${kid}/messages`, { json: { text: 'hello?' } })).body).toEqual(
      problem(409, 'Conflict', `run "${kid}" was killed; nothing reaches it any more`),
    );
    expect((await get(`/runs/${top}/result?wait=25`)).body).toMatchObject({
      status: 'succeeded',
      content: expect.stringContaining('killed by a person'),
    });
  });

  test('is refused for an agent that has its answer, which can still be written to', async () => {
    const { post } = await serveAgents(
      {
        top: ({ turn, results }: Asked) => (turn === 1 ? [call('kid', 'dig')] : results.join()),
        kid: ({ turn }: Asked) => `answer ${turn}`,
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const top = String((await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } })).body['run_id']);
    const kid = `kid-${top.slice('top-'.length)}-t1c1`;
    expect((await post(`/runs/${kid}/kill`)).body).toEqual(
      problem(
        409,
        'Conflict',
        `run "${kid}" has its answer, and only agents at work or idle can be killed: its status is succeeded`,
      ),
    );
    expect(await post(`/runs/${kid}/messages`, { json: { text: 'more?' } })).toMatchObject({ status: 202 });
  });

  test('is refused for the top of a tree', async () => {
    const { post } = await serveAgents({ top: () => 'done' });
    const run = String((await post('/agents/top/runs?wait=25')).body['run_id']);
    expect((await post(`/runs/${run}/kill`)).body).toEqual(
      problem(
        409,
        'Conflict',
        `run "${run}" is at the top of its tree, which cannot be killed: stop it instead`,
      ),
    );
  });
});

describe('adding to a budget', () => {
  test('lets a run that its budget ended go on', async () => {
    const { get, post } = await serveAgents(
      { top: ({ turn }: Asked) => (turn === 1 ? [use('list_directory', { path: '.' })] : 'done') },
      { top: 'tools = ["files"]\n[budget]\nmax_tokens = 25\n' },
    );
    const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
    const address = `/runs/${String(body['run_id'])}`;
    expect(body).toMatchObject({ status: 'budget_exceeded' });
    expect((await get(`${address}/tree`)).body).toMatchObject({ budget: { max_tokens: 25 } });
    expect(await post(`${address}/budget`, { json: { max_tokens: 10_000 } })).toMatchObject({
      status: 200,
      body: { max_tokens: 10_025 },
    });
    expect((await get(`${address}/tree`)).body).toMatchObject({ budget: { max_tokens: 10_025 } });
    expect(await post(`${address}/messages`, { json: { text: 'go on' } })).toMatchObject({ status: 202 });
    while ((await get(`${address}/result?wait=25`)).body['status'] !== 'succeeded');
  });

  test('is refused where there is no such limit, and without an amount', async () => {
    const { post } = await serveAgents({ top: () => 'done' });
    const run = String((await post('/agents/top/runs?wait=25')).body['run_id']);
    expect((await post(`/runs/${run}/budget`, { json: { max_usd: 1 } })).body).toEqual(
      problem(409, 'Conflict', `run "${run}" has no limit of dollars, so there is nothing to add to`),
    );
    for (const [json, detail] of [
      [{}, 'body must have max_tokens, max_usd or both'],
      [{ max_tokens: -1 }, 'max_tokens must be a whole number from 1 to 9007199254740991'],
      [{ max_usd: '1' }, 'max_usd must be a number'],
    ] as const) {
      expect(await post(`/runs/${run}/budget`, { json })).toMatchObject({ status: 400, body: { detail } });
    }
  });
});

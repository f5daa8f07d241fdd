import { describe, expect, onTestFinished, test } from 'vitest';
import { openCadre } from '../../../src/doors/library/open-cadre.ts';
import { call, latch, silence, use, type Asked } from '../../fixtures/stage.ts';
import { problem, serveAgents, serveAgentsIn, wallClock } from './served-agents.ts';

const LEAD = { lead: 'sub_agents = ["kid", "moody"]\ntimeout = 60\n' };

/** A lead whose sub-agents answer, and whose own second turn fails as long as its model does. */
async function failing() {
  let isDown = true;
  const roles = {
    lead({ turn, results }: Asked) {
      if (turn === 1) return [call('kid', 'one'), call('kid', 'two')];
      if (isDown) throw new Error('the model is down');
      return results.join(', ');
    },
    kid: ({ message }: Asked) => `did ${message.replace('Task: ', '')}`,
  };
  const served = await serveAgents(roles, LEAD);
  const { body } = await served.post('/agents/lead/runs?wait=25', { json: { prompt: 'go' } });
  expect(body).toMatchObject({ status: 'failed' });
  return { ...served, run: String(body['run_id']), mend: () => void (isDown = false) };
}

describe('a run that failed', () => {
  test('goes on where it was, and nothing that was finished is paid again', async () => {
    const { get, post, stage, run, mend } = await failing();
    mend();
    const { status, headers, body } = await post(`/runs/${run}/resume`);
    expect([status, headers.get('location'), body]).toMatchObject([
      202,
      `/runs/${run}`,
      { run_id: run, status: 'running' },
    ]);
    expect(body).not.toHaveProperty('error');
    expect(await get(`/runs/${run}/result?wait=25`)).toMatchObject({
      status: 200,
      body: { status: 'succeeded', content: 'did one, did two' },
    });
    // The second turn of the lead is the one that failed.
    expect(stage.asked.map(({ agent, turn }) => `${agent} ${turn}`)).toEqual([
      'lead 1',
      'kid 1',
      'kid 1',
      'lead 2',
      'lead 2',
    ]);
  });

  test('can be resumed as often as it fails', async () => {
    const { get, post, run, mend } = await failing();
    for (let times = 0; times < 3; times++) {
      expect((await post(`/runs/${run}/resume`)).status).toBe(202);
      expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({ status: 'failed' });
    }
    mend();
    await post(`/runs/${run}/resume`);
    expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({ status: 'succeeded' });
  });

  test('is one run when two resume it at once', async () => {
    const { get, post, stage, run, mend } = await failing();
    mend();
    const before = stage.asked.length;
    const both = await Promise.all([post(`/runs/${run}/resume`), post(`/runs/${run}/resume`)]);
    expect(both.map(({ status }) => status).filter((status) => status !== 409)).toContain(202);
    expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({ content: 'did one, did two' });
    expect(stage.asked.length - before).toBe(1);
  });

  test('takes fewer seconds than its agent has, and no more', async () => {
    const { get, post, stage, run, mend } = await failing();
    mend();
    const detail = "timeout must be at most 60, the agent's own; it is 61";
    expect((await post(`/runs/${run}/resume`, { json: { timeout: 61 } })).body).toEqual(
      problem(400, 'Bad Request', detail, [{ field: 'timeout', detail: detail.replace('timeout ', '') }]),
    );
    await post(`/runs/${run}/resume`, { json: { timeout: 30 } });
    await get(`/runs/${run}/result?wait=25`);
    expect(await stage.pipeline.store.run(run)).toMatchObject({ timeout: 30, holder: 2 });
  });
});

test('a run that is resumed may be given another model that the operator lists, and goes on with that', async () => {
  const fails = () => Promise.reject(new Error('the model is gone'));
  const setting = { models: ['stage/other', 'nowhere/other'] };
  const { get, post } = await serveAgents(
    { top: fails, other: () => 'from the other' },
    {},
    {},
    wallClock,
    setting,
  );
  const { body } = await post('/agents/top/runs?wait=25');
  const run = String(body['run_id']);
  const resumed = async (model: string) => {
    const answer = await post(`/runs/${run}/resume`, { json: { model } });
    return [answer.status, answer.body['detail']];
  };
  expect(await resumed('stage/third')).toEqual([
    400,
    'model must be stage/top or stage/other or nowhere/other; it is stage/third',
  ]);
  expect(await resumed('other')).toEqual([400, 'model must be provider/model-name']);
  expect(await resumed('stage/other')).toEqual([202, undefined]);
  expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({
    status: 'succeeded',
    model: 'stage/other',
    content: 'from the other',
  });
});

describe('a run is not resumed', () => {
  const conflict = (detail: string) => problem(409, 'Conflict', detail);

  test('that is not there', async () => {
    const { post } = await serveAgents({ lead: () => '' });
    const { body } = await post('/runs/lead-00000000000000/resume');
    expect(body).toEqual(problem(404, 'Not Found', 'no run "lead-00000000000000"'));
  });

  test('that has its answer', async () => {
    const { post } = await serveAgents({ lead: () => 'done' });
    const { body } = await post('/agents/lead/runs?wait=25');
    const run = String(body['run_id']);
    expect((await post(`/runs/${run}/resume`)).body).toEqual(
      conflict(`run "${run}" already has an answer: its status is succeeded`),
    );
  });

  test("that is a sub-agent's, and is told which one could be", async () => {
    const { post, run } = await failing();
    const kid = `kid-${run.slice('lead-'.length)}-t1c1`;
    expect((await post(`/runs/${kid}/resume`)).body).toEqual(
      conflict(`"${kid}" is a sub-agent's run; resume the whole tree: "${run}"`),
    );
  });

  test('that is being carried out, be it by another process', async () => {
    const atWork = latch();
    const roles = {
      lead: (asked: Asked) => {
        atWork.open();
        return silence(asked);
      },
    };
    const first = await serveAgents(roles);
    const run = String((await first.post('/agents/lead/runs')).body['run_id']);
    await atWork.opened;
    const second = await serveAgentsIn(first.stage.cwd, roles);
    const refusals = [`running`, `running in process ${process.pid}`];
    for (const [index, { post }] of [first, second].entries()) {
      expect((await post(`/runs/${run}/resume`)).body).toEqual(
        conflict(`run "${run}" is ${refusals[index]}; wait for it, or stop it first`),
      );
    }
    expect((await first.get(`/runs/${run}`)).body).toMatchObject({ status: 'running' });
  });

  test('that another process carries out, whose agents stay as they are', async () => {
    const atWork = latch();
    const roles = {
      lead: (asked: Asked) => {
        if (asked.told.startsWith('[You are agent')) atWork.open();
        else if (asked.turn === 1) return [use('fork', { prompt: 'go', name: 'a' })];
        return silence(asked);
      },
    };
    const { stage, post } = await serveAgents(roles, { lead: 'tools = ["fork"]\n' });
    const run = String((await post('/agents/lead/runs')).body['run_id']);
    await atWork.opened;
    const tree = () => stage.pipeline.store.tree(run);
    const [, fork] = await tree();
    await post(`/runs/${fork?.id}/stop`);
    await expect.poll(async () => (await tree()).map(({ status }) => status)).toEqual(['running', 'stopped']);
    const before = await tree();
    const second = await serveAgentsIn(stage.cwd, roles);
    expect((await second.post(`/runs/${run}/resume`)).status).toBe(409);
    expect(await tree()).toEqual(before);
    const cadre = await openCadre({ folder: stage.cwd });
    onTestFinished(() => cadre.close());
    await expect(cadre.resume(run)).rejects.toThrow(`run "${run}" is running`);
    expect(await tree()).toEqual(before);
  });
});

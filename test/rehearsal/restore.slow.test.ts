import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { latch } from '../fixtures/stage.ts';
import { SILENCE } from './converse.ts';
import { startRehearsal, type Rehearsal } from './rehearsal.ts';
import { ACCOUNT, REGION } from './stack.ts';

const agent = (name: string) => `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\n`;
const RESTORED = 'cadre-dev-restored';

// As docs/runbook.md describes it. Milliseconds: functions start from cold, each in a process of its own.
describe('an environment whose table is restored to a point in time', () => {
  let rehearsal: Rehearsal;
  const asked = latch();
  let isRestored = false;

  beforeAll(async () => {
    rehearsal = await startRehearsal({
      agents: { writer: agent('writer'), thinker: agent('thinker') },
      roles: {
        writer: () => 'written',
        thinker() {
          if (isRestored) return 'thought';
          asked.open();
          return SILENCE;
        },
      },
    });
  });
  afterAll(() => rehearsal.close());

  const post = (path: string, json: unknown = {}) => rehearsal.askApi('POST', path, { caller: 'ada', json });
  const get = (path: string) => rehearsal.askApi('GET', path, { caller: 'ada' });
  const write = async () => (await post('/agents/writer/runs?wait=25', { prompt: 'go' })).body;

  test('goes on there: knows what was before and not what came after, and continues what was open', async () => {
    const before = await write();
    const { run_id: open } = (await post('/agents/thinker/runs', { prompt: 'go' })).body;
    await asked.opened;
    await rehearsal.copyTable(RESTORED);
    const after = await write();
    // What is under way would go on with the old table.
    const executionArn = `arn:aws:states:${REGION}:${ACCOUNT}:execution:cadre-dev:${String(open)}`;
    rehearsal.machines.stopExecution({ executionArn });
    await rehearsal.events.delivered();

    await rehearsal.redeploy({ settings: { tableName: RESTORED } });
    isRestored = true;
    expect(await get(`/runs/${String(before['run_id'])}/result`)).toMatchObject({
      status: 200,
      body: { status: 'succeeded', content: 'written' },
    });
    expect(await get(`/runs/${String(after['run_id'])}/result`)).toMatchObject({ status: 404 });
    expect(await get(`/runs/${String(open)}`)).toMatchObject({ body: { status: 'running' } });
    expect(await post(`/runs/${String(open)}/stop`)).toMatchObject({ body: { status: 'stopped' } });
    expect(await post(`/runs/${String(open)}/resume`)).toMatchObject({ status: 202 });
    expect(await get(`/runs/${String(open)}/result?wait=25`)).toMatchObject({
      body: { status: 'succeeded', content: 'thought' },
    });
    expect(await write()).toMatchObject({ status: 'succeeded', content: 'written' });
    expect(rehearsal.events.deadLetters).toEqual([]);
  });
});

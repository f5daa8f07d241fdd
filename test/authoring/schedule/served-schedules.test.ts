import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tickRunId } from '../../../src/core/records/run-id.ts';
import { serveAgents, serveAgentsIn } from '../../doors/api/served-agents.ts';
import { manualClock } from './manual-clock.ts';

const START = Date.parse('2026-01-01T08:59:30Z');
const TICK = Date.parse('2026-01-01T09:00:00Z');
const SCHEDULE = { top: '[schedule]\ncron = "0 9 * * ? *"\nprompt = "What is new?"\n' };

test('an agent runs on its schedule, with its prompt, under an id that follows from the tick', async () => {
  const clock = manualClock(START);
  const { get, stage, told } = await serveAgents({ top: ({ message }) => message }, SCHEDULE, {}, clock);
  expect(await clock.asleep()).toBe(TICK);
  expect((await get('/runs')).body['runs']).toEqual([]);
  clock.moveTo(TICK);
  await clock.asleep();
  const id = tickRunId('top', TICK);
  expect((await get(`/runs/${id}/result?wait=25`)).body).toMatchObject({
    status: 'succeeded',
    content: 'What is new?',
  });
  expect(stage.asked).toHaveLength(1);
  expect(told).toEqual([`2026-01-01T09:00:00.000Z top: run ${id}`]);
});

test('two starts of one tick make one run, at once or after a restart', async () => {
  const clocks = [manualClock(START), manualClock(START), manualClock(START)] as const;
  const roles = { top: () => 'once' };
  const first = await serveAgents(roles, SCHEDULE, {}, clocks[0]);
  const second = await serveAgentsIn(first.stage.cwd, roles, clocks[1]);
  await Promise.all([clocks[0].asleep(), clocks[1].asleep()]);
  clocks[0].moveTo(TICK);
  clocks[1].moveTo(TICK);
  await Promise.all([clocks[0].asleep(), clocks[1].asleep()]);
  const id = tickRunId('top', TICK);
  const result = (await first.get(`/runs/${id}/result?wait=25`)).body;
  expect(result).toMatchObject({ content: 'once', turns: 1 });
  await Promise.all([first.server.close(), second.server.close()]);

  const third = await serveAgentsIn(first.stage.cwd, roles, clocks[2]);
  await clocks[2].asleep();
  clocks[2].moveTo(TICK);
  await clocks[2].asleep();
  expect((await third.get(`/runs/${id}/result`)).body).toEqual(result);
  expect([first, second, third].flatMap(({ stage }) => stage.asked)).toHaveLength(1);
  expect([...first.told, ...second.told, ...third.told].filter((line) => line.startsWith('Error'))).toEqual(
    [],
  );
});

test('an agent that breaks is told of once, and the others go on', async () => {
  const clock = manualClock(START);
  const roles = { top: () => '', broken: () => '' };
  const { stage, told } = await serveAgents(roles, SCHEDULE, {}, clock);
  await clock.asleep();
  await writeFile(`${stage.cwd}/agents/broken.toml`, 'name = "broken"\n[schedule]\nrate = "often"\n');
  for (const minute of [0, 1, 2]) {
    clock.moveTo(TICK + minute * 60_000);
    await clock.asleep();
  }
  expect(told).toEqual([
    expect.stringMatching(/^Warning: agents\/broken\.toml:1:1: agent config missing required field: model/),
    `2026-01-01T09:00:00.000Z top: run ${tickRunId('top', TICK)}`,
  ]);
});

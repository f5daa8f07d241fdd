import { expect, test } from 'vitest';
import type { Pause } from '../../../src/core/records/pause.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import type { Table } from '../../../src/places/store/table.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { call } from '../../fixtures/stage.ts';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount } from '../../../simulate/world/account.ts';

const HOUR = 3_600_000;

const AGENTS = {
  top: 'sub_agents = ["kid"]\n',
  kid: '',
};

async function open() {
  let looks = 0;
  const kept = createMemoryTable();
  const table: Table = {
    ...kept,
    query(partition, ...more) {
      if (partition.startsWith('cooldowns')) looks += 1;
      return kept.query(partition, ...more);
    },
  };
  const account = await openAccount({ table, choices: choicesOf(1), agents: AGENTS });
  const pause = (): Pause => ({
    at: new Date(account.time.now()).toISOString(),
    by: 'ada',
    release: 'cadre unpause --env dev',
  });
  const asked = () => account.asked.map(({ run }) => run);
  const say = async (run: string, line: Parameters<(typeof account.asked)[number]['say']>[0]) => {
    account.asked.find((one) => one.run === run)?.say(line);
    await account.settle();
  };
  const statusOf = async (run: string) => (await account.store().run(run))?.status;
  return { ...account, account, pause, asked, say, statusOf, looks: () => looks };
}

test('a paused tree ends its turns and calls, asks no model, and goes on where it stood', async () => {
  const { account, pause, asked, say, statusOf } = await open();
  const run = await account.start('top', { timeout: seconds(86_400) });
  await account.settle();
  await account.store().setPause(pause());
  await say(run, { calls: [call('kid', 'help')] });
  await account.pass(HOUR);
  // The turn under way was the last: its sub-agent has been opened, and asks nothing.
  expect(asked()).toEqual([]);
  const [, kid = ''] = (await account.store().tree(run)).map(({ id }) => id);
  expect([await statusOf(run), await statusOf(kid)]).toEqual(['running', 'running']);

  await account.store().setPause(undefined);
  await account.pass(HOUR / 5);
  expect(asked()).toEqual([kid]);
  await say(kid, { text: 'helped' });
  expect(asked()).toEqual([run]);
  await say(run, { text: 'done' });
  expect(await statusOf(run)).toBe('succeeded');
  expect(account.said.map((one) => one.run)).toEqual([run, kid, run]);
});

test('time runs on in a pause: what expires is timed out, and can be resumed after it', async () => {
  const { account, pause, asked, say, statusOf } = await open();
  const run = await account.start('top', { timeout: seconds(1_000) });
  await account.settle();
  await account.store().setPause(pause());
  await say(run, { calls: [call('kid', 'help')] });
  await account.pass(HOUR);
  expect([await statusOf(run), asked()]).toEqual(['timed_out', []]);

  await account.store().setPause(undefined);
  await account.resume(run);
  await account.settle();
  expect(asked()).toHaveLength(1);
  await say(asked()[0] ?? '', { text: 'helped' });
  await say(run, { text: 'done' });
  expect(await statusOf(run)).toBe('succeeded');
});

test('a pause of nine days takes less than a fifth of the events that an execution may have', async () => {
  const { account, pause, asked, looks } = await open();
  await account.store().setPause(pause());
  await account.start('top', { timeout: seconds(860_000) });
  await account.settle();
  await account.pass(9 * 24 * HOUR);
  expect(asked()).toEqual([]);
  // Each costs the states of a turn, of the choice behind it, and of the wait.
  expect(looks()).toBeGreaterThan(100);
  expect(9 * looks()).toBeLessThan(25_000 / 5);
});

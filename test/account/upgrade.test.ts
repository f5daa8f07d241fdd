import { expect, test } from 'vitest';
import { createMemoryTable } from '../../src/places/store/memory-table.ts';
import { choicesOf } from '../../simulate/choices.ts';
import { openAccount } from '../../simulate/world/account.ts';
import { call } from '../fixtures/stage.ts';

test('an execution keeps the machine that it began with, and the next one has that of the new release', async () => {
  const agents = { top: 'sub_agents = ["kid"]\n', kid: '' };
  const account = await openAccount({ table: createMemoryTable(), choices: choicesOf(1), agents });
  const say = async (run: string, line: Parameters<(typeof account.asked)[number]['say']>[0]) => {
    account.asked.find((one) => one.run === run)?.say(line);
    await account.settle();
  };
  const earlier = await account.start('top');
  await account.settle();
  account.upgrade();
  await say(earlier, { calls: [call('kid', 'help')] });
  const [, kid = ''] = (await account.store().tree(earlier)).map(({ id }) => id);
  expect(account.live().map(({ run, state }) => [run, state])).toEqual([
    [kid, 'Take turn 2'],
    [earlier, 'Run one sub-agent'],
  ]);
  await say(kid, { text: 'helped' });
  await say(earlier, { text: 'done' });
  expect((await account.store().run(earlier))?.status).toBe('succeeded');
});

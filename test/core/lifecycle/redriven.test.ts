import { expect, test } from 'vitest';
import { resultsIn } from '../../../src/core/records/message.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount } from '../../../simulate/world/account.ts';
import { call } from '../../fixtures/stage.ts';

test('a sub-agent that a redriven execution has begun again outlives a sweep, and its caller reads its answer', async () => {
  const agents = { top: 'sub_agents = ["kid"]\n', kid: '' };
  const account = await openAccount({ table: createMemoryTable(), choices: choicesOf(1), agents });
  const asked = (agent: string) => account.asked.findLast(({ run }) => run.startsWith(agent));
  const top = await account.start('top');
  await account.settle();
  asked('top')?.say({ calls: [call('kid', 'help')] });
  await account.settle();
  const { execution = '' } = (await account.store().run(top)) ?? {};
  await account.people.stop(execution);
  await account.settle();
  const statuses = async () => (await account.store().tree(top)).map(({ status }) => status);
  expect(await statuses()).toEqual(['stopped', 'stopped']);

  await account.people.redrive(execution);
  await account.settle();
  expect(await statuses()).toEqual(['stopped', 'running']);
  await account.sweep();
  await account.settle();
  asked('kid')?.say({ text: 'helped' });
  await account.settle();
  expect(resultsIn(asked('top')?.request.messages ?? []).map(({ text }) => text)).toEqual(['helped']);
  asked('top')?.say({ text: 'done' });
  await account.settle();
  expect(await statuses()).toEqual(['succeeded', 'succeeded']);
});

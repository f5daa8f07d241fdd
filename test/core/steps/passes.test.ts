import { expect, test } from 'vitest';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount } from '../../../simulate/world/account.ts';
import { use } from '../../fixtures/stage.ts';

const TOP = `[[functions]]
name = "deed"
description = "does something"
function = "deed"
parameters = { type = "object", properties = { mark = { type = "string" } } }
[[functions]]
name = "check"
function = "check"
offer = false
[[hooks]]
function = "check"
on = "before_call"
`;

test('a call behind one that nobody approved in time is made, and the model goes on', async () => {
  const made: unknown[] = [];
  const account = await openAccount({
    table: createMemoryTable(),
    choices: choicesOf(1),
    agents: { top: TOP },
    async callFunction(_, { name, arguments: given }) {
      const isFirst = JSON.stringify(given).includes('first');
      if (name === 'check') return { value: { decision: isFirst ? 'ask' : 'allow' } };
      made.push(given['mark']);
      return { value: 'done' };
    },
  });
  const id = await account.start('top', { timeout: seconds(600) });
  const pass = (milliseconds: number) => account.time.goOn({ to: account.time.now() + milliseconds });
  await pass(1_000);
  account.asked[0]?.say({ calls: [use('deed', { mark: 'first' }), use('deed', { mark: 'second' })] });
  await pass(1_000);
  expect(made).toEqual([]);
  await pass(595_000);
  expect(made).toEqual(['second']);
  account.asked[0]?.say({ text: 'over' });
  await pass(1_000);
  const run = await account.store().run(id);
  expect({ status: run?.status, turns: run?.usage.turns }).toEqual({ status: 'succeeded', turns: 2 });
});

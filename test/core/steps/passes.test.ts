import { expect, test } from 'vitest';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { resultsIn } from '../../../src/core/records/message.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount } from '../../../simulate/world/account.ts';
import type { Line } from '../../../simulate/world/models.ts';
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

test('an approval of a call of another agent is none of its result, which a hook puts before a person too late', async () => {
  const account = await openAccount({
    table: createMemoryTable(),
    choices: choicesOf(1),
    agents: {
      top: `timeout = 3600
patience = "2h"
tools = ["sub_agent"]
permissions = { ask = ["sub_agent"] }
[[functions]]
name = "check"
function = "check"
offer = false
[[hooks]]
function = "check"
on = "after_call"
`,
    },
    callFunction: async () => ({ value: { decision: 'ask' } }),
  });
  const id = await account.start('top');
  await account.settle();
  const say = async (line: Line, of = id) => {
    account.asked.find(({ run }) => run === of)?.say(line);
    await account.settle();
  };
  await say({ calls: [use('sub_agent', { prompt: 'dig' })] });
  await account.pass(3_600_000);
  const [question] = await account.questions(id);
  if (question === undefined) throw new Error('nothing is asked');
  await account.answer(question, 'approve');
  await account.settle();
  const sub = (await account.store().tree(id)).find(({ parent }) => parent !== undefined)?.id ?? '';
  await say({ text: 'a secret' }, sub);
  await say({ text: 'over' });
  const results = (await account.store().turns(id)).flatMap(({ received }) => resultsIn(received));
  expect(results.map(({ text }) => text)).toEqual([
    'Permission denied: hook "check" denied sub_agent: it needs approval, and a person has been asked about it before',
  ]);
});

test('what was approved for the rest of a run is approved when it is made, although its tree has waited meanwhile', async () => {
  const agents = {
    top: 'timeout = 3600\npatience = "2h"\ntools = ["sub_agent"]\npermissions = { ask = ["sub_agent"] }\n',
  };
  const account = await openAccount({ table: createMemoryTable(), choices: choicesOf(1), agents });
  const id = await account.start('top');
  await account.settle();
  const say = async (line: Line, isOfSub = false) => {
    account.asked.find(({ run }) => (run !== id) === isOfSub)?.say(line);
    await account.settle();
  };
  const calls = [use('sub_agent', { prompt: 'dig' })];
  await say({ calls });
  await account.pass(3_600_000);
  const [question] = await account.questions(id);
  if (question === undefined) throw new Error('nothing is asked');
  await account.answer(question, 'always');
  await account.settle();
  await say({ text: 'dug' }, true);
  await say({ calls });
  const [first, second] = await Promise.all(
    [1, 2].map((turn) => account.store().answer({ run: id, turn, call: 1 })),
  );
  expect(second).toMatchObject({ decision: 'always' });
  expect(Date.parse(second?.at ?? '')).toBeGreaterThan(Date.parse(first?.at ?? ''));
});

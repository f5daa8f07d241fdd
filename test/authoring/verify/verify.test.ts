import { expect, test } from 'vitest';
import { deployedName } from '../../../src/authoring/verify/agents.ts';
import type { Rig } from '../../../src/authoring/verify/rig.ts';
import { verify } from '../../../src/authoring/verify/verify.ts';
import { expectAccepted, interpreter, never, scenario, shownBy } from './scenario.ts';

const expected = interpreter();

// The interpreter keeps the histories of the newest 20 executions.
test.each([
  ['what begins', ['parallel', 'leaves', 'schedule', 'api']],
  ['what fails', ['in-order', 'failures', 'lost-event']],
  ['what is stopped', ['stop', 'kill']],
])('scenarios show what was accepted: %s', async (_, names) => {
  await expectAccepted(names, expected.rig);
});

test('a scenario that asks the API is left out where that takes no signatures', async () => {
  const actual = { ...expected.rig, whyNoRequests: 'it takes tokens' };
  expect(await verify('api', scenario('api'), { actual, expected: expected.rig }, never)).toMatchObject({
    leftOut: 'it takes tokens',
    runs: [],
    differences: [],
  });
});

test('a scenario that cannot be played says why, as what differs', async () => {
  const actual: Rig = { ...expected.rig, history: () => Promise.reject(new Error('access denied')) };
  expect(
    await verify('failures', scenario('failures'), { actual, expected: expected.rig }, never),
  ).toMatchObject({
    differences: [{ where: 'scenario', line: 1, expected: 'it ends', actual: 'access denied' }],
  });
});

test('records that are other than those of the interpreter differ, each with its first line', async () => {
  const { rig } = expected;
  const records = {
    ...rig.records,
    tree: async (id: string) =>
      (await rig.records.tree(id)).map((run) =>
        run.path === 't1c1' && run.status === 'succeeded'
          ? { ...run, usage: { ...run.usage, turns: 2 } }
          : run,
      ),
  };
  const { differences } = await verify(
    'failures',
    scenario('failures'),
    { actual: { ...rig, records }, expected: rig },
    never,
  );
  expect(differences).toEqual([
    { where: 'run quick-t1c1', line: 2, expected: '1 turn, 0 calls', actual: '2 turns, 0 calls' },
  ]);
});

test('a scenario whose agents are not deployed ends at once, and says why', async () => {
  const { rig } = expected;
  const start: Rig['start'] = async (run) =>
    rig.start({ ...run, request: { ...run.request, agent: deployedName('broken') } });
  await expect(shownBy('stop', { ...rig, start })).rejects.toThrow(
    /^run "cadre-verify-stuck-\w+" ended before its sub-agents were asked: .*no such key/,
  );
});

test.each([
  ['stop', 'stop'],
  ['wide-stop', 'stop'],
  ['kill', 'kill'],
  ['lost-event', 'halt'],
  ['redrive', 'redrive'],
] as const)('%s ends at once where it may not %s', async (name, deed) => {
  const refused = () => Promise.reject(new Error('access denied'));
  await expect(shownBy(name, { ...expected.rig, [deed]: refused })).rejects.toThrow('access denied');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openInterpreterPlace } from '../../src/verification/interpreter-place.ts';
import type { Place } from '../../src/verification/place.ts';
import { SCENARIOS, type Scenario } from '../../src/verification/scenarios.ts';
import { verify } from '../../src/verification/verify.ts';

let expected: Place;
beforeAll(async () => {
  expected = await openInterpreterPlace();
});
afterAll(() => expected.close());

const never = new AbortController().signal;
const scenario = (name: string): Scenario => {
  const found = SCENARIOS[name];
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
};

test('a scenario that asks the API is left out where that takes no signatures', async () => {
  const actual = { ...expected, whyNoRequests: 'it takes tokens' };
  expect(await verify('api', scenario('api'), { actual, expected }, never)).toMatchObject({
    leftOut: 'it takes tokens',
    runs: [],
    differences: [],
  });
});

test('a scenario that cannot be played says why, as what differs', async () => {
  const actual: Place = { ...expected, history: () => Promise.reject(new Error('access denied')) };
  expect(await verify('failures', scenario('failures'), { actual, expected }, never)).toMatchObject({
    differences: [{ where: 'scenario', line: 1, expected: 'it ends', actual: 'access denied' }],
  });
});

test('records that are other than those of the interpreter differ, each with its first line', async () => {
  const store = {
    ...expected.store,
    tree: async (id: string) =>
      (await expected.store.tree(id)).map((run) =>
        run.path === 't1c1' && run.status === 'succeeded'
          ? { ...run, usage: { ...run.usage, turns: 2 } }
          : run,
      ),
  };
  const { differences } = await verify(
    'failures',
    scenario('failures'),
    { actual: { ...expected, store }, expected },
    never,
  );
  expect(differences).toEqual([
    { where: 'run quick-t1c1', line: 2, expected: '1 turns, 0 calls', actual: '2 turns, 0 calls' },
  ]);
});

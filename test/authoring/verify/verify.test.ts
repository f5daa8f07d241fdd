import { expect, test } from 'vitest';
import type { Place } from '../../../src/authoring/verify/place.ts';
import { verify } from '../../../src/authoring/verify/verify.ts';
import { interpreter, never, scenario, shownBy } from './scenario.ts';

const expected = interpreter();

test('failures shows what it is about', async () => {
  expect(await shownBy('failures', expected.place)).toEqual({
    statuses: {
      failures: 'succeeded',
      'quick-t1c1': 'succeeded',
      'broken-t1c2': 'failed: ModelError',
      'missing-t1c3': 'failed: AgentError',
    },
    waits: 0,
  });
});

test('a scenario that asks the API is left out where that takes no signatures', async () => {
  const actual = { ...expected.place, whyNoRequests: 'it takes tokens' };
  expect(await verify('api', scenario('api'), { actual, expected: expected.place }, never)).toMatchObject({
    leftOut: 'it takes tokens',
    runs: [],
    differences: [],
  });
});

test('a scenario that cannot be played says why, as what differs', async () => {
  const actual: Place = { ...expected.place, history: () => Promise.reject(new Error('access denied')) };
  expect(
    await verify('failures', scenario('failures'), { actual, expected: expected.place }, never),
  ).toMatchObject({
    differences: [{ where: 'scenario', line: 1, expected: 'it ends', actual: 'access denied' }],
  });
});

test('records that are other than those of the interpreter differ, each with its first line', async () => {
  const { place } = expected;
  const store = {
    ...place.store,
    tree: async (id: string) =>
      (await place.store.tree(id)).map((run) =>
        run.path === 't1c1' && run.status === 'succeeded'
          ? { ...run, usage: { ...run.usage, turns: 2 } }
          : run,
      ),
  };
  const { differences } = await verify(
    'failures',
    scenario('failures'),
    { actual: { ...place, store }, expected: place },
    never,
  );
  expect(differences).toEqual([
    { where: 'run quick-t1c1', line: 2, expected: '1 turn, 0 calls', actual: '2 turns, 0 calls' },
  ]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openInterpreterPlace } from '../../src/verification/interpreter-place.ts';
import type { Place } from '../../src/verification/place.ts';
import { Play } from '../../src/verification/play.ts';
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

// A scenario expects nothing itself: what it plays has to be what it is about.
test.concurrent.each([
  [
    'failures',
    {
      failures: 'succeeded',
      'quick-t1c1': 'succeeded',
      'broken-t1c2': 'failed: ModelError',
      'missing-t1c3': 'failed: AgentError',
    },
    0,
  ],
  ['timeout', { timeout: 'succeeded', 'late-t1c1': 'timed_out: ModelError' }, 0],
  [
    'throttling',
    { throttling: 'succeeded', 'throttled-t1c1': 'failed: ModelError', 'quick-t1c2': 'succeeded' },
    2,
  ],
])('%s shows what it is about', async (name, statuses, waits) => {
  const play = new Play(expected, never);
  await scenario(name).play(play);
  const runs = [...play.observed].filter(([about]) => about.startsWith('run '));
  expect(Object.fromEntries(runs.map(([about, [status]]) => [about.slice('run '.length), status]))).toEqual(
    statuses,
  );
  const lines = [...play.observed.values()].flat();
  expect(lines.filter((line) => line === 'WaitStateEntered Back off')).toHaveLength(waits);
});

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

import { expect, test } from 'vitest';
import { interpreter, shownBy } from './scenario.ts';

const expected = interpreter();

test.concurrent.each([
  ['timeout', { timeout: 'succeeded', 'late-t1c1': 'timed_out: ModelError' }, 0],
  [
    'throttling',
    { throttling: 'succeeded', 'throttled-t1c1': 'failed: ModelError', 'quick-t1c2': 'succeeded' },
    2,
  ],
])('%s shows what it is about', async (name, statuses, waits) => {
  expect(await shownBy(name, expected.rig)).toEqual({ statuses, waits });
});

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
  ['background', { beside: 'succeeded', 'slow-t1c1': 'idle' }, 0],
  ['lost-event', { brief: 'stopped: Stopped' }, 1],
  [
    'deployment',
    {
      asking: 'succeeded',
      twice: 'succeeded',
      waiting: 'succeeded',
      'quick-t1c1': 'succeeded',
      'slow-t1c2': 'succeeded',
      'quick-t1c3': 'succeeded',
    },
    0,
  ],
])('%s shows what it is about', async (name, statuses, waits) => {
  expect(await shownBy(name, expected.rig)).toEqual({ statuses, waits });
});

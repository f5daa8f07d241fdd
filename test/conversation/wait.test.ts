import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitAfter } from '../../src/conversation/wait.ts';
import { ModelError } from '../../src/errors.ts';
import type { Opened } from '../../src/runs/run.ts';

const opened: Opened = {
  root: 'run',
  agent: 'top',
  model: 'test/model',
  system: '',
  message: 'go',
  temperature: 0,
  maxTokens: 0,
  tools: [],
  delegation: { subAgents: [], depth: 0, maxDepth: 3, parallel: true, timeout: 0 },
  timeout: 0,
  retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 0, maxDelayMs: 0 },
};
const input = {
  run: 'run',
  holder: 1,
  execution: 'arn',
  turn: 1,
  timeout: 9,
  outcomes: [],
  attempt: 0,
  waits: 0,
};

test('a turn waits until a whole second, no earlier than it was told to and never to its deadline', async () => {
  const store = { cooldownOf: () => Promise.resolve(0), coolDown: () => Promise.resolve() };
  const milliseconds = fc.integer({ min: 0, max: 5_000 });
  await fc.assert(
    fc.asyncProperty(milliseconds, milliseconds, milliseconds, async (later, delay, left) => {
      const now = Date.parse('2026-01-01T00:00:00Z') + later;
      const deadline = now + left;
      const busy = new ModelError('rate_limit', 'busy', { retryAfterMs: delay });
      const ports = { store, now: () => now, random: () => 0 };
      const wait = await waitAfter(busy, { ...input, deadline }, opened, ports);
      const next = 1000 * Math.ceil((now + delay) / 1000);
      expect(wait?.until).toBe(next < deadline ? new Date(next).toISOString() : undefined);
    }),
  );
});

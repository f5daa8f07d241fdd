import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { restingWait, shortageWait, waitAfter } from '../../../src/core/turn/wait.ts';
import { ModelError } from '../../../src/errors.ts';
import { anOpened, aTurnInput } from '../../fixtures/records.ts';

const opened = anOpened({
  root: 'run',
  model: 'test/model',
  retry: { maxRetries: 1, backoff: 'fixed', initialDelayMs: 0, maxDelayMs: 0 },
});
const input = aTurnInput({ run: 'run' });

test('a turn waits until a whole second, no earlier than it was told to and never to its deadline', async () => {
  const store = { restOf: () => Promise.resolve({ until: 0 }), coolDown: () => Promise.resolve() };
  const milliseconds = fc.integer({ min: 0, max: 5_000 });
  await fc.assert(
    fc.asyncProperty(milliseconds, milliseconds, milliseconds, async (later, delay, left) => {
      const now = Date.parse('2026-01-01T00:00:00Z') + later;
      const until = now + left;
      const busy = new ModelError('rate_limit', 'busy', { retryAfterMs: delay });
      const ports = { store, now: () => now, random: () => 0 };
      const wait = await waitAfter(busy, { ...input, until }, opened, ports);
      const next = 1000 * Math.ceil((now + delay) / 1000);
      expect(wait?.until).toBe(next < until ? new Date(next).toISOString() : undefined);
    }),
  );
});

describe('a model whose API was throttled', () => {
  const now = Date.parse('2026-01-01T00:00:00.400Z');
  const later = {
    ...input,
    until: now + 3_600_000,
    turn: 3,
    attempt: 2,
    waits: 5,
    outcomes: [{ call: 1 }],
  };
  const patient = {
    ...opened,
    retry: { maxRetries: 9, backoff: 'fixed', initialDelayMs: 1_000, maxDelayMs: 2_000 },
  } as const;

  /** Ports at a fixed time, at which the model cools down until `until`. */
  function portsWith(until: number, random = 0) {
    const told: [string, string, number][] = [];
    const store = {
      restOf: (_: string, model: string) => Promise.resolve({ until: model === 'test/model' ? until : 0 }),
      coolDown: async (...cooling: [string, string, number]) => void told.push(cooling),
    };
    return { told, ports: { store, now: () => now, random: () => random } };
  }

  test.each([
    ['rate_limit', {}, [['run', 'test/model', now + 500]]],
    ['overloaded', { retryAfterMs: 7_000 }, [['run', 'test/model', now + 7_000]]],
    ['rate_limit', { retryAfterMs: 60_001 }, [['run', 'test/model', now + 60_000]]],
    ['server', { retryAfterMs: 7_000 }, []],
  ] as const)(
    'by %s %j is left alone by all runs, and for a minute at most',
    async (category, details, all) => {
      const { told, ports } = portsWith(0);
      await waitAfter(new ModelError(category, 'busy', details), later, patient, ports);
      expect(told).toEqual(all);
    },
  );

  test('is waited for by the run itself with an attempt used up', async () => {
    const { ports } = portsWith(0);
    expect(await waitAfter(new ModelError('rate_limit', 'busy'), later, patient, ports)).toEqual({
      next: 'wait',
      run: 'run',
      turn: 2,
      until: '2026-01-01T00:00:01.000Z',
      outcomes: [{ call: 1 }],
      attempt: 3,
      shortages: 0,
      waits: 6,
    });
  });

  test.each([
    ['as long as it asked', 2_000, 0, '2026-01-01T00:00:03.000Z'],
    ['up to twice as long, by chance', 2_000, 0.9, '2026-01-01T00:00:05.000Z'],
    ['a tenth of a second at least', 1, 0.9, '2026-01-01T00:00:01.000Z'],
  ])('is waited for by others %s, with no attempt used up', async (_, left, random, until) => {
    const { ports } = portsWith(now + left, random);
    expect(await restingWait(later, patient, ports)).toEqual({
      reason: 'cooldown',
      wait: {
        next: 'wait',
        run: 'run',
        turn: 2,
        until,
        outcomes: [{ call: 1 }],
        attempt: 2,
        shortages: 0,
        waits: 6,
      },
    });
  });

  test('is waited for neither after its time nor by agents that try nothing again', async () => {
    const { ports } = portsWith(now);
    expect(await restingWait(later, patient, ports)).toBeUndefined();
    const { retry: _, ...impatient } = patient;
    expect(await restingWait(later, impatient, portsWith(now + 2_000).ports)).toBeUndefined();
  });

  test('is waited for 300 times in a run and no more', async () => {
    const { ports } = portsWith(now + 2_000);
    expect(await restingWait({ ...later, waits: 299 }, patient, ports)).toMatchObject({
      wait: { waits: 300 },
    });
    expect(await restingWait({ ...later, waits: 300 }, patient, ports)).toBeUndefined();
  });
});

describe('a turn whose budget others at work hold', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const short = {
    ...input,
    until: now + 3_600_000,
    turn: 3,
    attempt: 2,
    waits: 5,
    outcomes: [{ call: 1 }],
  };

  test.each([
    ['shortest', 0, [1, 1, 2, 4, 8, 16]],
    ['longest', 1, [1, 2, 4, 8, 16, 32]],
  ])('waits for them longer and longer, and for a minute at most: the %s times', (_, random, seconds) => {
    const ports = { now: () => now, random: () => random };
    const waits = seconds.map((_seconds, shortages) => shortageWait({ ...short, shortages }, ports));
    expect(waits).toEqual(
      seconds.map((delay, shortages) => ({
        next: 'wait',
        run: 'run',
        turn: 2,
        until: new Date(now + 1000 * delay).toISOString(),
        outcomes: [{ call: 1 }],
        attempt: 2,
        shortages: shortages + 1,
        waits: 6,
      })),
    );
    expect(shortageWait({ ...short, shortages: seconds.length }, ports)).toBeUndefined();
  });

  test('is refused in time to say so', () => {
    const ports = { now: () => now, random: () => 1 };
    expect(shortageWait({ ...short, until: now + 1000 }, ports)).toBeUndefined();
  });
});

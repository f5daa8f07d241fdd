import { seconds } from '../../../src/core/records/times.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { awaitMail } from '../../../src/core/lifecycle/await-mail.ts';
import { deliver } from '../../../src/core/lifecycle/deliver.ts';
import type { ResidentPorts } from '../../../src/core/lifecycle/ports.ts';
import { rest } from '../../../src/core/lifecycle/rest.ts';
import { isUnread } from '../../../src/core/records/mail.ts';
import type { Run } from '../../../src/core/records/run.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Item, Table } from '../../../src/places/store/table.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { cases } from '../../fixtures/cases.ts';
import { use } from '../../fixtures/stage.ts';
import { aDelegation, aFork, anOpened, aRun, aTurn, keepRun } from '../../fixtures/records.ts';

// Two functions at once, each with a store of its own; fast-check chooses whose operation takes effect next.

const NOW = Date.parse('2030-01-01T00:00:00Z');
const TOP = 'top-00000000000000';
const FORK = `${TOP}-t1c1`;
const arn = (name: string) => `arn:${name}`;

const top = aRun({ startedAt: new Date(NOW).toISOString(), execution: arn(TOP), timeout: seconds(1_000) });
const fork = aFork(top, { name: 'fork', execution: arn(FORK) });
const opened = anOpened({
  tools: [
    { name: 'mail_read', description: '', parameters: { type: 'object', properties: {}, required: [] } },
  ],
  delegation: aDelegation({ ways: ['fork'] }),
});
const answer = aTurn({ answer: { text: 'done' }, at: new Date(NOW).toISOString() });
const waiting = aTurn({
  answer: { text: 'done', calls: [use('wait', { timeout: seconds(60) })] },
  plans: [{ kind: 'wait', seconds: seconds(60) }],
  at: answer.at,
});

/** A tree of a top and its fork, and what was done to their executions. */
async function openScene(runs: Run[], turns: Record<string, Turn> = {}) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const run of runs) {
    await keepRun(store, run);
    await store.saveOpened(run.id, opened);
    await store.saveTurn(run.id, turns[run.id] ?? answer);
  }
  const started = new Set<string>();
  const woken = new Set<string>();
  const executions: ResidentPorts['executions'] = {
    async start(name) {
      started.add(name);
      return arn(name);
    },
    isRunning: async () => true,
    stop: async () => {},
  };
  const wake: ResidentPorts['wake'] = async (token) => void woken.add(token);
  const now = () => NOW;

  /** The ports of one function, each of whose operations waits for its turn. */
  function portsOf(scheduler: fc.Scheduler, who: string): ResidentPorts {
    const inTurn = <A extends unknown[], R>(what: string, operation: (...given: A) => Promise<R>) =>
      scheduler.scheduleFunction(
        Object.defineProperty((...given: A) => operation(...given), 'name', { value: `${who} ${what}` }),
      );
    const scheduled: Table = {
      get: inTurn('get', table.get),
      putIfAbsent: inTurn('putIfAbsent', table.putIfAbsent),
      putIfVersion: inTurn('putIfVersion', table.putIfVersion),
      async *query(...given) {
        yield* await inTurn('query', async () => {
          const items: Item[] = [];
          for await (const item of table.query(...given)) items.push(item);
          return items;
        })();
      },
      delete: inTurn('delete', table.delete),
      close: async () => {},
    };
    return {
      store: createRunStore(scheduled, createDocuments(scheduled, NO_BLOBS), async () => {}),
      executions: { ...executions, start: inTurn('start', executions.start) },
      wake: inTurn('wake', wake),
      now,
    };
  }
  return { store, started, woken, portsOf };
}

const resting = (run: Run) => ({
  run: run.id,
  holder: run.holder,
  execution: run.execution,
  deadline: NOW + 1_000_000,
  token: `token of ${run.id}`,
});
const letter = (from: string) => ({
  from,
  fromName: 'x',
  body: 'hello',
  sentAt: new Date(NOW).toISOString(),
});

const RUNS = { numRuns: cases(100) };

test('an agent that goes idle while it is written to reads its mail, or goes on in its next execution', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, started, portsOf } = await openScene([top, fork]);
      const both = Promise.all([
        rest(resting(fork), portsOf(scheduler, 'rest')),
        deliver(fork, letter(TOP), 'key', portsOf(scheduler, 'deliver')),
      ]);
      await scheduler.waitFor(both);
      const status = (await store.run(FORK))?.status;
      // Running again, its execution finds the mail as it goes on.
      expect({ status, isStarted: started.has(`${FORK}-r2`) }).not.toEqual({
        status: 'idle',
        isStarted: false,
      });
    }),
    RUNS,
  );
});

test('a fork that has gone on since it answered is left at work by a repetition that comes late', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, portsOf } = await openScene([top, fork], { [FORK]: waiting });
      await scheduler.waitFor(rest(resting(fork), portsOf(scheduler, 'rest')));
      expect(await store.run(FORK)).toEqual(fork);
    }),
    { numRuns: 1 },
  );
});

test('an agent that waits for its forks goes on when the last of them is done meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, woken, portsOf } = await openScene([top, fork]);
      const both = Promise.all([
        rest(resting(top), portsOf(scheduler, 'top')),
        rest(resting(fork), portsOf(scheduler, 'fork')),
      ]);
      await scheduler.waitFor(both);
      expect((await store.run(FORK))?.status).toBe('idle');
      expect((await store.mails(TOP)).filter(isUnread)).toHaveLength(1);
      expect(woken).toContain(resting(top).token);
      // In any case, it has not ended without a look at its fork's message.
      expect((await store.run(TOP))?.status).not.toBe('succeeded');
    }),
    RUNS,
  );
});

test('an agent waits for a fork that is still being started', async () => {
  const { store, portsOf } = await openScene([top]);
  await store.claimName(fork, 'fork');
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const waits = await scheduler.waitFor(rest(resting(top), portsOf(scheduler, 'rest')));
      expect(waits).toMatchObject({ run: TOP });
    }),
    { numRuns: 1 },
  );
  expect((await store.run(TOP))?.status).toBe('idle');
});

test('an agent that begins to wait while it is written to does not wait', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { woken, portsOf } = await openScene([top, fork], { [TOP]: waiting });
      const { token, ...claim } = resting(top);
      const ask = { ...claim, turn: 1, call: 1, patience: seconds(0), until: NOW + 60_000, token };
      const both = Promise.all([
        awaitMail(ask, portsOf(scheduler, 'wait')),
        deliver(top, letter(FORK), 'key', portsOf(scheduler, 'deliver')),
      ]);
      await scheduler.waitFor(both);
      expect(woken).toContain(token);
    }),
    RUNS,
  );
});

test('two who wake an idle agent at once start one execution', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, started, portsOf } = await openScene([top, { ...fork, status: 'idle' }]);
      const both = Promise.all([
        deliver(fork, letter(TOP), 'one', portsOf(scheduler, 'one')),
        deliver(fork, letter(TOP), 'two', portsOf(scheduler, 'two')),
      ]);
      await scheduler.waitFor(both);
      expect(await store.mails(FORK)).toHaveLength(2);
      expect([...started]).toEqual([`${FORK}-r2`]);
    }),
    RUNS,
  );
});

test('a process that is slow to forget a wait leaves the next one of the same agent alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const { store, portsOf } = await openScene([top, fork]);
      const earlier = { run: TOP, token: 'earlier', until: NOW };
      const later = { run: TOP, token: 'later', until: NOW };
      await store.saveMailWait(earlier);
      const both = Promise.all([
        portsOf(scheduler, 'slow').store.deleteMailWait(earlier),
        portsOf(scheduler, 'next').store.saveMailWait(later),
      ]);
      await scheduler.waitFor(both);
      const [first, ...others] = await store.mailWaits(TOP);
      expect(first).toEqual(later);
      // Where it came too late, the earlier token is woken in vain.
      expect([[], [earlier]]).toContainEqual(others);
    }),
    RUNS,
  );
});

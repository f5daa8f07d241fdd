import { expect, test } from 'vitest';
import { giveUpRemote } from '../../../src/core/lifecycle/give-up-remote.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { endEvent, settleRun } from '../../../src/core/lifecycle/settle.ts';
import { sweepTrees } from '../../../src/core/lifecycle/sweep.ts';
import { REMOTE_MODEL, REMOTE_TOOL } from '../../../src/core/records/remote-model.ts';
import { millis, seconds } from '../../../src/core/records/times.ts';
import type { ToolServer } from '../../../src/core/records/tool-server.ts';
import { closeRun } from '../../../src/core/turn/close.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { anOpened, aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';

const EXECUTIONS = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-test:';
const top = aRun({ execution: `${EXECUTIONS}top-00000000000000` });
const made = aSubAgent(top, { agent: 'booking', model: REMOTE_MODEL, derivedBy: 'call_agent' });
const booking = { ...made, execution: EXECUTIONS + made.id };

const server: ToolServer = {
  name: 'booking',
  reach: { kind: 'url', protocol: 'a2a', url: 'https://booking.example.org', headers: {} },
  tools: [],
  disallowedTools: [],
  readOnly: [],
  timeout: seconds(20),
  required: false,
};

/** A tree with a remote agent at work on a task, stopped by somebody who cannot reach that agent. */
async function openStopped({ isHandedOver = true } = {}) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const run of [top, booking]) await keepRun(store, run);
  await store.saveOpened(booking.id, anOpened({ servers: { booking: server } }));
  const ask = { ask: 'send', message: 'm', text: 'a room' };
  await store.saveTurn(
    booking.id,
    aTurn({ answer: { calls: [{ id: 'c1', name: REMOTE_TOOL, arguments: ask }] } }),
  );
  const at = { run: booking.id, turn: 1, call: 1 };
  const text = JSON.stringify({ state: 'working', task: 'task-7', text: '' });
  const result = { text, isError: false, startedAt: top.startedAt, durationMs: millis(5) };
  if (isHandedOver) await store.saveCallResult(at, result);
  const asked: unknown[] = [];
  let meanwhile = async () => {};
  const servers = {
    async call(_: ToolServer, call: { arguments: Record<string, unknown> }) {
      asked.push(call.arguments);
      await meanwhile();
      const state = call.arguments['ask'] === 'send' ? 'working' : 'canceled';
      return { text: JSON.stringify({ state, task: 'task-7', text: '' }) };
    },
  };
  const giveUp = (run: string) => giveUpRemote(run, { store, servers });
  const ports = { ...NOTHING_RUNS, store, now: () => Date.parse(top.startedAt) + 1_000 };
  await settleRun(endEvent(top, { status: 'ABORTED' }), ports);
  const isListed = async () => {
    for await (const [run] of await store.openTrees()) return run?.id === top.id;
    return false;
  };
  const during = (work: () => Promise<void>) => void (meanwhile = work);
  return { store, ports, giveUp, asked, ask, at, isListed, during };
}

const CANCELED = [{ ask: 'cancel', task: 'task-7' }];

test('a task is given up with the event of its own execution, where those who ended it could not reach its agent', async () => {
  const { ports, giveUp, asked, isListed } = await openStopped();
  expect([asked, await isListed()]).toEqual([[], true]);
  const event = endEvent(booking, { status: 'ABORTED' });
  await settleRun(event, { ...ports, giveUp });
  // Events come again.
  await settleRun(event, { ...ports, giveUp });
  expect([asked, await isListed()]).toEqual([CANCELED, false]);
});

test('and by the sweep where that event is lost', async () => {
  const { store, ports, giveUp, asked, isListed } = await openStopped();
  const sweep = async () =>
    sweepTrees(await store.openTrees(), {
      ...ports,
      giveUp,
      live: { tell: () => {} },
      endOf: async () => undefined,
    });
  await sweep();
  await sweep();
  expect([asked, await isListed()]).toEqual([CANCELED, false]);
});

test('a task is given up whose run has come to rest over its budget, which never gets its answer either', async () => {
  const { store, giveUp, asked, ports } = await openStopped();
  const running = await store.updateRun(booking.id, (run) => ({ ...run, status: 'running', holder: 2 }));
  const end = { status: 'budget_exceeded', exceeded: 'budget exceeded: used 3 of 3 turns' } as const;
  const turns = await store.turns(booking.id);
  await closeRun(running ?? booking, turns, end, { ...ports, giveUp });
  expect([asked, (await store.run(booking.id))?.isToGiveUp]).toEqual([CANCELED, undefined]);
});

test('a task that was resumed and stopped again while it was given up is to be given up again', async () => {
  const { store, ports, giveUp, asked, during } = await openStopped();
  during(async () => {
    during(async () => {});
    const again = await store.updateRun(booking.id, (run) => ({
      ...run,
      status: 'running',
      holder: 2,
      execution: `${booking.execution}-r2`,
    }));
    await settleRun(endEvent(again ?? booking, { status: 'ABORTED' }), ports);
  });
  await giveUp(booking.id);
  expect((await store.run(booking.id))?.isToGiveUp).toBe(true);
  await giveUp(booking.id);
  expect([asked.length, (await store.run(booking.id))?.isToGiveUp]).toEqual([2, undefined]);
});

test('a task that was never handed over is not handed over to be given up, nor by a function that comes late', async () => {
  const { store, giveUp, asked, at } = await openStopped({ isHandedOver: false });
  await settleRun(endEvent(booking, { status: 'ABORTED' }), { ...NOTHING_RUNS, store, now: () => 0, giveUp });
  await giveUp(booking.id);
  expect([asked, (await store.run(booking.id))?.isToGiveUp]).toEqual([[], undefined]);
  const late = { by: 'late', at: 1, until: 9 };
  expect((await store.markCall(at, late)).by).not.toBe('late');
});

test('a task whose name was lost with the answer is given up, although the next attempt to learn it was not made', async () => {
  const { store, giveUp, asked, ask, at } = await openStopped({ isHandedOver: false });
  await store.markCall(at, { by: 'its function', at: 1, until: 9 });
  const lost = { text: 'Error: no answer', isError: true, startedAt: top.startedAt, durationMs: millis(5) };
  await store.saveCallResult(at, lost);
  const again = { calls: [{ id: 'c2', name: REMOTE_TOOL, arguments: ask }] };
  await store.saveTurn(booking.id, aTurn({ number: 2, answer: again }));
  await settleRun(endEvent(booking, { status: 'ABORTED' }), { ...NOTHING_RUNS, store, now: () => 0, giveUp });
  expect(asked).toEqual([ask, ...CANCELED]);
});

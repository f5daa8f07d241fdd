import { describe, expect, onTestFinished, test } from 'vitest';
import { noticed } from '../../../src/places/follow/notices.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { takeTurn } from '../../../src/core/turn/turn.ts';
import { StoreError } from '../../../src/errors.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import type { RetryPolicy } from '../../../src/core/records/opened.ts';
import { latch } from '../../fixtures/stage.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { aDelegation, anAnswer, anOpened, aRun, aTurnInput } from '../../fixtures/records.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

const id = 'top-00000000000000';
const run = aRun();
const opened = anOpened({
  delegation: aDelegation({ subAgents: ['kid'] }),
});

type Say = (request: ModelRequest) => Promise<{ text: string; calls?: ToolCall[] }>;

async function openWith(say: Say) {
  const { runs, memories, close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  await runs.insertRun(run);
  await runs.saveOpened(id, opened);
  const requests: ModelRequest[] = [];
  const events: RunEvent[] = [];
  const { store, live } = noticed(runs, (event) => void events.push(event));
  const send = async (request: ModelRequest) => {
    requests.push(request);
    return anAnswer(await say(request));
  };
  const ports = {
    store,
    memories,
    tools: loadOwnTools,
    models: { open: (name: string) => Promise.resolve({ model: { send }, name }) },
    prices: createPrices(),
    live,
    now: Date.now,
    random: Math.random,
  };
  const { signal } = new AbortController();
  const take = (
    turn: number,
    other: Partial<typeof ports> & { signal?: AbortSignal } = {},
    outcomes: object[] = [],
    claim = {},
  ) => {
    const event = { ...aTurnInput({ turn }), outcomes, ...claim };
    return takeTurn(event, { ...ports, ...other }, other.signal ?? signal);
  };
  return { store, requests, events, take };
}

const asksKid = () =>
  Promise.resolve({
    text: '',
    calls: [{ id: '1', name: 'call_agent', arguments: { agent: 'kid', task: 'x' } }],
  });

describe('a turn', () => {
  test('that is taken twice at once keeps one answer, and both go on with it', async () => {
    const second = latch();
    let asked = 0;
    const { store, take } = await openWith(async () => {
      if (++asked === 2) {
        second.open();
        return { text: 'the later one' };
      }
      await second.opened;
      await new Promise(setImmediate);
      return asksKid();
    });
    const outputs = await Promise.all([take(1), take(1)]);
    expect(outputs[0]).toEqual(outputs[1]);
    const turns = await store.turns(id);
    expect(turns.map(({ answer }) => answer.text)).toEqual(['the later one']);
    expect(await store.run(id)).toMatchObject({ status: 'succeeded', usage: { turns: 1, outputTokens: 1 } });
  });

  test('that is there already is not paid again, and gives the same steps', async () => {
    const { requests, take } = await openWith(asksKid);
    const first = await take(1);
    const again = await take(1);
    expect(requests).toHaveLength(1);
    expect(again).toMatchObject({
      next: 'act',
      turn: 1,
      waves: [{ concurrency: 40, steps: [{ call: 1, run: 'kid-00000000000000-t1c1', agent: 'kid' }] }],
    });
    expect({ ...again, waves: [] }).toEqual({ ...first, waves: [] });
  });

  test('that is asked for when later ones are there gives what the newest says', async () => {
    const { requests, take } = await openWith(({ messages }) =>
      messages.length === 1 ? asksKid() : Promise.resolve({ text: 'done' }),
    );
    await take(1);
    await take(2, {}, [{ call: 1, error: 'States.Timeout' }]);
    expect(await take(1)).toEqual({ next: 'answered', run: id, turn: 2, status: 'succeeded' });
    expect(requests).toHaveLength(2);
  });

  test('whose function died after it was kept closes the run when it is called again', async () => {
    const { store, requests, events, take } = await openWith(() => Promise.resolve({ text: 'done' }));
    const dying = { ...store, updateRun: () => Promise.reject(new StoreError('the disk is full')) };
    await expect(take(1, { store: dying })).rejects.toThrow('the disk is full');
    expect(await store.run(id)).toEqual(run);

    expect(await take(1)).toEqual({ next: 'answered', run: id, turn: 1, status: 'succeeded' });
    expect(await take(1)).toEqual({ next: 'answered', run: id, turn: 1, status: 'succeeded' });
    expect(requests).toHaveLength(1);
    expect(await store.run(id)).toMatchObject({
      status: 'succeeded',
      usage: { turns: 1 },
      stopReason: 'end',
    });
    expect(events.filter(({ type }) => type === 'run_closed')).toHaveLength(1);
  });

  test('whose function has no time left to ask its model is made by another one', async () => {
    const { store, requests, take } = await openWith(() => Promise.resolve({ text: 'done' }));
    const retry: RetryPolicy = { maxRetries: 1, backoff: 'fixed', initialDelayMs: 500, maxDelayMs: 500 };
    const retrying = { ...store, opened: () => Promise.resolve({ ...opened, retry }) };
    const signal = AbortSignal.abort(new DOMException('the time is up', 'TimeoutError'));
    const waiting = await take(1, { store: retrying, signal });
    expect(waiting).toMatchObject({ next: 'wait', run: id, turn: 0, attempt: 1 });
    expect(requests).toEqual([]);
    const answered = await take(1, { store: retrying }, [], { attempt: 1 });
    expect(answered).toEqual({ next: 'answered', run: id, turn: 1, status: 'succeeded' });
  });

  test('of a run that was closed meanwhile keeps its answer and leaves the record closed', async () => {
    const failure = { error: 'States.Timeout', message: 'x' };
    const { store, take } = await openWith(async () => {
      await store.updateRun(id, (current) => ({ ...current, status: 'timed_out', failure }));
      return { text: 'done' };
    });
    expect(await take(1)).toEqual({ next: 'superseded', run: id, turn: 1 });
    expect(await store.run(id)).toMatchObject({ status: 'timed_out', failure });
    expect((await store.turn(id, 1))?.answer.text).toBe('done');
  });

  test.each([
    ['answers', {}],
    ['is ended by its budget', { budget: { turns: 0 } }],
  ])('of a run that is deleted as it %s ends with nothing left to do', async (_, limits) => {
    const { store, events, take } = await openWith(() => Promise.resolve({ text: 'done' }));
    const deleting: typeof store = {
      ...store,
      opened: () => Promise.resolve({ ...opened, ...limits }),
      async updateRun(...change) {
        await store.deleteTrees([id]);
        return store.updateRun(...change);
      },
    };
    expect(await take(1, { store: deleting })).toMatchObject({ next: 'superseded', run: id });
    expect(await store.run(id)).toBeUndefined();
    expect(events.filter(({ type }) => type === 'run_closed')).toEqual([]);
  });

  test('of a run that was never opened is refused', async () => {
    const { take, store } = await openWith(asksKid);
    const empty = { ...store, opened: () => Promise.resolve(undefined), turns: () => Promise.resolve([]) };
    await expect(take(1, { store: empty })).rejects.toThrow(`run "${id}" has not been opened`);
  });
});

describe('an execution', () => {
  test('whose run was closed asks no model and touches nothing', async () => {
    const { store, requests, take } = await openWith(asksKid);
    await store.updateRun(id, (current) => ({ ...current, status: 'stopped' }));
    const before = await store.run(id);
    expect(await take(1)).toEqual({ next: 'superseded', run: id, turn: 0 });
    expect(requests).toEqual([]);
    expect(await store.run(id)).toEqual(before);
  });

  test('that another one has taken the run over from asks no model and touches nothing', async () => {
    const { store, requests, take } = await openWith(asksKid);
    await store.updateRun(id, (current) => ({ ...current, holder: 2, execution: 'arn-r2' }));
    expect(await take(1)).toEqual({ next: 'superseded', run: id, turn: 0 });
    expect(requests).toEqual([]);
  });

  test('that was redriven takes the run up again', async () => {
    const { store, take } = await openWith(() => Promise.resolve({ text: 'done' }));
    const failure = { error: 'Stopped', message: 'enough' };
    const endedAt = '2026-01-01T00:00:03.000Z';
    await store.updateRun(id, (current) => ({ ...current, status: 'stopped', failure, endedAt }));
    expect(await take(1, {}, [], { holder: 2 })).toMatchObject({ next: 'answered', status: 'succeeded' });
    const { failure: none, ...record } = (await store.run(id)) ?? run;
    expect(none).toBeUndefined();
    expect(record).toMatchObject({ status: 'succeeded', holder: 2, workedMs: 3000 });
  });
});

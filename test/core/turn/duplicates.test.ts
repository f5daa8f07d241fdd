import { describe, expect, test } from 'vitest';
import { closedEvent } from '../../../src/core/events/event.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { addToBudget } from '../../../src/core/lifecycle/add-budget.ts';
import { putMail } from '../../../src/core/lifecycle/put-mail.ts';
import { rest } from '../../../src/core/lifecycle/rest.ts';
import { settleRun } from '../../../src/core/lifecycle/settle.ts';
import { closeRun } from '../../../src/core/turn/close.ts';
import { passOver } from '../../../src/core/turn/pass-over.ts';
import { takeTurn } from '../../../src/core/turn/turn.ts';
import { ModelError } from '../../../src/errors.ts';
import type { Opened } from '../../../src/core/records/opened.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemories } from '../../../src/places/store/memories.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { reopened } from '../../../src/core/records/reopened.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { NO_NEWS } from '../../../src/core/records/mail.ts';
import type { ModelResponse } from '../../../src/core/records/message.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { latch, use } from '../../fixtures/stage.ts';
import { standingStill } from '../../fixtures/standing-still.ts';
import { aFork, anAnswer, anOpened, aRun, aTurn, aTurnInput } from '../../fixtures/records.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

const id = 'top-00000000000000';
const execution = 'arn';
const run = aRun();
const opened = anOpened({ budget: { tokens: 10_000 }, maxTokens: 1_000 });
const COST = { inputTokens: 100, outputTokens: 20 };
const noBlobs = {
  put: () => Promise.reject(new Error('too large')),
  get: () => Promise.reject(new Error('none')),
  delete: async () => {},
};

/** A run whose turn is made by several invocations, each with a model of its own and nothing in memory. */
async function openRun(differs: Partial<Opened> = {}) {
  const table = createMemoryTable();
  const storeOf = () => createRunStore(table, createDocuments(table, noBlobs));
  const store = storeOf();
  await store.insertRun(run);
  await store.saveOpened(id, { ...opened, ...differs });
  const ports = {
    memories: createMemories(table),
    tools: loadOwnTools,
    prices: createPrices(),

    now: Date.now,
    random: () => 0,
  };

  /** @param sees the turns that this invocation has read: at another time than it goes on */
  function take(
    say: (request: ModelRequest) => Promise<string | Partial<ModelResponse>>,
    sees = storeOf().turns,
    input = aTurnInput(),
    by = (own: RunStore) => own,
  ) {
    const send = async (request: ModelRequest) => {
      const said = await say(request);
      return anAnswer({ ...(typeof said === 'string' ? { text: said } : said), usage: COST });
    };
    const models = { open: async (name: string) => ({ model: { send }, name }) };
    const own = by({ ...storeOf(), turns: sees });
    return takeTurn(input, { ...ports, store: own, models }, new AbortController().signal);
  }
  const account = async () => {
    const ledger = await store.ledger(id);
    return {
      used: ledger?.used.tokens,
      turns: ledger?.used.turns,
      reserved: Object.keys(ledger?.reserved ?? {}).length,
    };
  };
  const stop = () =>
    settleRun(
      { detail: { executionArn: execution, name: id, status: 'ABORTED' } },
      { ...NOTHING_RUNS, ...ports, store: storeOf() },
    );
  return { store, take, account, stop };
}

/** A turn whose model is at work, and answers with a text when it is told to. */
async function underWay(take: Awaited<ReturnType<typeof openRun>>['take'], text: string) {
  const [asked, answers] = [latch(), latch()];
  const turn = take(async () => {
    asked.open();
    await answers.opened;
    return text;
  });
  await asked.opened;
  return { turn, answer: answers.open };
}

test('a turn that was under way when its run was stopped is counted in its record', async () => {
  const { take, store, stop } = await openRun();
  const { turn, answer } = await underWay(take, 'late');
  await stop();
  expect(await store.run(id)).toMatchObject({ status: 'stopped', usage: { turns: 0 } });
  answer();
  await turn;
  expect(await store.run(id)).toMatchObject({ status: 'stopped', usage: { turns: 1, ...COST } });
});

test.each([{}, { isAwaited: true as const }])(
  'a function that finds the budget spent ends no run whose turn another one has made since: %o',
  async (differs) => {
    const { take, store } = await openRun({ ...differs, budget: { tokens: 10 } });
    const calls = [use('look', {})];
    const next = await take(
      () => Promise.reject(new Error('it is not asked')),
      undefined,
      undefined,
      (own) =>
        // Between its looks at what the tree may spend and at what it has spent.
        standingStill(
          own,
          'ledger',
          async () => {
            await addToBudget(id, { tokens: 10_000 }, undefined, { store, now: Date.now });
            await take(async () => ({ calls }));
          },
          2,
        ),
    );
    expect([next.next, next.turn]).toEqual(['act', 1]);
    const { status, exceeded } = (await store.run(id)) ?? {};
    expect({ status, exceeded }).toEqual({ status: 'running', exceeded: undefined });
  },
);

test('a run whose function has noted that its budget is spent, and died, ends so, even if there is more by then', async () => {
  const { take, store } = await openRun({ isAwaited: true, budget: { tokens: 10 } });
  const unasked = () => Promise.reject(new Error('it is not asked'));
  expect((await take(unasked)).next).toBe('idle');
  const exceeded = (await store.run(id))?.exceeded;
  await addToBudget(id, { tokens: 10_000 }, undefined, { store, now: Date.now });
  expect((await take(unasked)).next).toBe('idle');
  await rest(
    { run: id, holder: 1, execution, deadline: Date.now() + 9_000, token: 'token' },
    { ...NOTHING_RUNS, store, now: Date.now },
  );
  expect(await store.run(id)).toMatchObject({ status: 'budget_exceeded', exceeded });
});

test('a slow function brings no run to rest that has gone on in the same execution since', async () => {
  const { store } = await openRun();
  await store.insertRun(aFork(run));
  await store.saveTurn(id, aTurn({ answer: { text: 'so' } }));
  const ports = { ...NOTHING_RUNS, now: Date.now };
  const wait = (token: string, by = store) =>
    rest({ run: id, holder: 1, execution, deadline: Date.now() + 9_000, token }, { ...ports, store: by });
  const goOn = async () => {
    await wait('second');
    expect((await store.run(id))?.status).toBe('idle');
    await store.updateRun(id, (one) => reopened(one, Date.now()));
    await store.saveTurn(id, aTurn({ number: 2, answer: { calls: [use('look', {})] } }));
  };
  await wait('first', standingStill(store, 'updateRun', goOn));
  expect((await store.run(id))?.status).toBe('running');
});

test.each([
  ['top', {}, 'succeeded'],
  ['fork', { derivedBy: 'fork', beside: true }, 'idle'],
] as const)(
  'a slow function has no %s go on for a message if its execution has ended since',
  async (_, differs, status) => {
    const table = createMemoryTable();
    const store = createRunStore(table, createDocuments(table, noBlobs));
    await store.insertRun({ ...run, ...differs, hasMail: true });
    await store.saveOpened(id, opened);
    await store.saveTurn(id, aTurn({ answer: { text: 'so' } }));
    let isRunning = true;
    const ports = {
      ...NOTHING_RUNS,
      executions: { ...NOTHING_RUNS.executions, isRunning: async () => isRunning },
      now: Date.now,
    };
    const end = (token: string, by = store) =>
      rest({ run: id, holder: 1, execution, deadline: Date.now() + 9_000, token }, { ...ports, store: by });
    const happens = async () => {
      await end('second');
      isRunning = false;
      await putMail(run, { body: 'and now?', sentAt: new Date().toISOString() }, undefined, store);
    };
    // It has written down the end, and is about to look whether a message has come.
    await end('first', standingStill(store, 'mails', happens, 1));
    expect((await store.run(id))?.status).toBe(status);
  },
);

test('a turn that was made in vain, for a message of an agent, is counted if its run was stopped meanwhile', async () => {
  const { take, store, stop } = await openRun({ caps: { toolCalls: 1, warnAt: 0, pauseAt: 0 } });
  await store.saveTurn(id, aTurn());
  await store.saveMail(id, { from: 'other', body: 'hi', sentAt: run.startedAt });
  await store.updateRun(id, (record) => ({ ...record, hasMail: true }));
  await take(async () => {
    await stop();
    return { calls: [use('look', {}), use('look', {})] };
  });
  expect(await store.run(id)).toMatchObject({ status: 'stopped', usage: { turns: 2 } });
});

test('a function that fails passes over no messages that another one has answered meanwhile', async () => {
  const { take, store } = await openRun();
  await store.saveTurn(id, aTurn());
  const { id: mail } = await store.saveMail(id, { from: 'other', body: 'hi', sentAt: run.startedAt });
  await store.updateRun(id, (record) => ({ ...record, hasMail: true }));
  await take(async () => {
    const turn = await store.saveTurn(id, aTurn({ number: 2, told: [mail] }));
    await closeRun(run, [aTurn(), turn], { status: 'idle' }, { store, now: Date.now });
    throw new ModelError('bad_request', 'no');
  });
  expect(await store.run(id)).toEqual(expect.not.objectContaining({ passedOver: expect.anything() }));
  expect(await store.mails(id)).toEqual([expect.not.objectContaining({ isPassedOver: true })]);
});

test('an answer to messages that comes after they were passed over is a turn, and not what the run rests with', async () => {
  const { take, store } = await openRun();
  await store.saveTurn(id, aTurn({ answer: { text: 'the first' } }));
  await store.saveMail(id, { from: 'other', body: 'hi', sentAt: run.startedAt });
  await store.updateRun(id, (record) => ({ ...record, hasMail: true }));
  const { turn, answer } = await underWay(take, 'late');
  await take(() => Promise.reject(new ModelError('bad_request', 'no')));
  await rest(
    { run: id, holder: 1, execution, deadline: Date.now() + 9_000, token: 'token' },
    { ...NOTHING_RUNS, store, now: Date.now },
  );
  const told = async () => closedEvent((await store.run(id)) ?? run, await store.turns(id));
  const before = await told();
  answer();
  await turn;
  expect(before).toMatchObject({
    status: 'succeeded',
    text: 'the first',
    reason: expect.stringContaining('no'),
  });
  expect(await told()).toEqual(before);
  expect(await store.run(id)).toMatchObject({ usage: { turns: 2 } });
});

test('a turn that is stored while its run is being closed is counted in its record', async () => {
  const { store } = await openRun();
  const turn = aTurn({ answer: { usage: COST } });
  const racing: RunStore = {
    ...store,
    async updateRun(...given) {
      await store.saveTurn(id, turn);
      return store.updateRun(...given);
    },
  };
  const end = { status: 'stopped', failure: { error: 'Stopped', message: 'enough' } } as const;
  await closeRun(run, [], end, { store: racing, now: Date.now });
  expect(await store.run(id)).toMatchObject({ status: 'stopped', usage: { turns: 1, ...COST } });
});

/** A run that has answered and was written to, and whose second turn is stored with the next change of its record. */
async function openRacing(differs: Partial<Run> = {}) {
  const { store, take } = await openRun();
  const first = aTurn({ answer: { usage: COST } });
  await store.saveTurn(id, first);
  const written = await store.updateRun(id, (record) => ({ ...record, hasMail: true, ...differs }));
  const racing: RunStore = {
    ...store,
    async updateRun(...given) {
      await store.saveTurn(id, aTurn({ number: 2, answer: { calls: [use('look', {})], usage: COST } }));
      return store.updateRun(...given);
    },
  };
  return {
    store,
    take,
    run: written ?? run,
    first,
    ports: { ...NOTHING_RUNS, store: racing, now: Date.now },
  };
}

test.each(['succeeded', 'idle'] as const)(
  'a turn that is stored for a message while its run becomes %s is counted in its record',
  async (status) => {
    const { store, run: written, first, ports } = await openRacing();
    await closeRun(written, [first], { status }, ports);
    expect(await store.run(id)).toMatchObject({ status, usage: { turns: 2 } });
  },
);

test('a function that is called again counts the turn that the one that ended the run died before counting', async () => {
  const { store, take, run: written, first, ports } = await openRacing();
  const dying: RunStore = { ...ports.store, turn: () => Promise.reject(new Error('it dies')) };
  await expect(
    closeRun(written, [first], { status: 'succeeded' }, { ...ports, store: dying }),
  ).rejects.toThrow('it dies');
  const next = await take(() => Promise.reject(new Error('it is not asked')));
  expect(next).toEqual({ next: 'answered', run: id, turn: 2, status: 'succeeded' });
  expect(await store.run(id)).toMatchObject({ status: 'succeeded', usage: { turns: 2 } });
});

test.each([
  ['idle', { beside: true as const }],
  ['at its end', {}],
])(
  'an agent that is %s goes on with a turn that is stored at that moment, after an attempt that failed',
  async (_, how) => {
    const passedOver = { turn: 1, at: run.startedAt, reason: 'busy' };
    const { store, ports } = await openRacing({ ...how, passedOver });
    const claim = { run: id, holder: 1, execution };
    const executions = { ...ports.executions, isRunning: async () => true };
    await rest({ ...claim, deadline: Date.now() + 9_000, token: 'token' }, { ...ports, executions });
    expect(await store.run(id)).toMatchObject({ status: 'running', holder: 1 });
  },
);

describe('a second invocation of a turn', () => {
  test('does not ask where the turn was made since it looked', async () => {
    const { take, account, store } = await openRun();
    await take(async () => 'the first');
    await store.updateRun(id, (record) => ({ ...record, status: 'running' }));
    const asked: ModelRequest[] = [];
    const output = await take(
      async (request) => (asked.push(request), 'the second'),
      async () => [],
    );
    expect(output).toEqual({ next: 'answered', run: id, turn: 1, status: 'succeeded' });
    expect(asked).toEqual([]);
    expect(await account()).toEqual({ used: 120, turns: 1, reserved: 0 });
  });

  test('that fails gives back what it reserved, and nothing of the first', async () => {
    const { take, account } = await openRun();
    const { turn: first, answer } = await underWay(take, 'so');
    await expect(take(() => Promise.reject(new ModelError('server', 'no')))).rejects.toThrow('server: no');
    expect(await account()).toEqual({ used: 0, turns: 0, reserved: 1 });
    answer();
    await first;
    expect(await account()).toEqual({ used: 120, turns: 1, reserved: 0 });
  });

  test('waits for the first where the budget holds one answer alone', async () => {
    const { take, account, store } = await openRun({ budget: { tokens: 600 } });
    const { turn: first, answer } = await underWay(take, 'the first');
    expect(await take(async () => 'the second')).toMatchObject({ next: 'wait', shortages: 1 });
    answer();
    expect(await first).toEqual({ next: 'answered', run: id, turn: 1, status: 'succeeded' });
    expect(await account()).toEqual({ used: 120, turns: 1, reserved: 0 });
    expect((await store.turns(id)).map(({ answer }) => answer.text)).toEqual(['the first']);
  });

  test('is charged as well where both have an answer, and is one turn with it', async () => {
    const { take, account, store } = await openRun();
    const { turn: first, answer } = await underWay(take, 'the first');
    await take(async () => 'the second');
    answer();
    await first;
    expect(await account()).toEqual({ used: 240, turns: 1, reserved: 0 });
    expect((await store.turns(id)).map(({ answer }) => answer.text)).toEqual(['the second']);
  });
});

test('a run that is stopped keeps what its call may cost, and is charged for what it did cost', async () => {
  const { take, account, stop, store } = await openRun();
  const { turn, answer } = await underWay(take, 'too late');
  await stop();
  expect(await account()).toEqual({ used: 0, turns: 0, reserved: 1 });
  answer();
  expect(await turn).toEqual({ next: 'superseded', run: id, turn: 1 });
  expect(await account()).toEqual({ used: 120, turns: 1, reserved: 0 });
  expect((await store.run(id))?.status).toBe('stopped');
});

test('a run whose ledger was never written is closed when it is stopped', async () => {
  const { stop, store } = await openRun();
  await stop();
  expect(await store.ledger(id)).toBeUndefined();
  expect((await store.run(id))?.status).toBe('stopped');
});

/** A run with a turn whose text a hook has let through, and which is kept apart until a function comes. */
async function openLetThrough() {
  const hook = {
    on: 'before_answer' as const,
    name: 'check',
    function: 'check',
    source: { function: 'check' },
    seconds: seconds(10),
  };
  const made = await openRun({ hooks: [hook] });
  const { store } = made;
  const plan = {
    kind: 'invoke' as const,
    subject: '',
    writes: true,
    isRepeatable: false,
    seconds: seconds(30),
  };
  await store.withholdTurn(
    id,
    aTurn({ answer: { text: 'I look', calls: [use('look', {})] }, plans: [plan] }),
  );
  await store.saveDecision(
    { run: id, turn: 1, call: 0, hook: 0 },
    { hook: 'check', on: 'before_answer', decision: 'allow', at: run.startedAt, durationMs: 1 },
  );
  return { ...made, input: aTurnInput({ turn: 2, outcomes: [{ call: 0 }] }) };
}

const unasked = async () => Promise.reject(new Error('the model is asked'));

test('a function that is called again once hooks have let a text through makes the calls beside it', async () => {
  const { take, input } = await openLetThrough();
  const first = await take(unasked, undefined, input);
  expect(first).toMatchObject({ next: 'act', turn: 1, waves: [{ steps: [{ kind: 'invoke', call: 1 }] }] });
  // What is left of its time is less by then.
  const again = await take(unasked, undefined, input);
  expect(JSON.stringify(again).replaceAll(/"timeout":\d+/g, '')).toBe(
    JSON.stringify(first).replaceAll(/"timeout":\d+/g, ''),
  );
});

test('a turn that hooks have let through says when it could be shown if its run went on meanwhile', async () => {
  const [first, second] = [await openLetThrough(), await openLetThrough()];
  await first.take(unasked, undefined, first.input);
  expect((await first.store.turn(id, 1))?.shownAt).toBeUndefined();
  const resumedAt = '2026-01-01T00:01:00.000Z';
  await second.store.updateRun(id, (one) => ({ ...one, resumedAt }));
  await second.take(unasked, undefined, second.input);
  expect((await second.store.turn(id, 1))?.shownAt?.localeCompare(resumedAt)).toBe(1);
});

test('why a run rests stays as it was told, whatever a function finds that comes late', async () => {
  const { store } = await openRun();
  const passedOver = { turn: 1, at: run.startedAt, reason: 'busy' };
  const idle: Run = { ...run, status: 'idle', endedAt: run.startedAt, passedOver };
  await store.updateRun(id, () => idle);
  const begun = { run: idle, turns: [aTurn()], mails: [], news: NO_NEWS };
  await passOver(begun, 'the budget is gone', { ...NOTHING_RUNS, store, now: Date.now });
  expect(await store.run(id)).toEqual(idle);
});

test('a call ends as the model was told, whatever a late function makes of it while the model answers', async () => {
  const { store, take } = await openRun();
  const calls = [use('read_file', { path: 'a.txt' })];
  const plan = {
    kind: 'invoke',
    subject: 'a.txt',
    writes: false,
    isRepeatable: false,
    seconds: seconds(5),
  } as const;
  await store.saveTurn(id, aTurn({ answer: { calls }, plans: [plan] }));
  const at = { run: id, turn: 1, call: 1 };
  const told: unknown[] = [];
  await take(
    async ({ messages }) => {
      told.push(messages.at(-1));
      const late = { text: 'the file', isError: false, startedAt: '2026-01-01T00:00:01.000Z', durationMs: 5 };
      told.push((await store.saveCallResult(at, late)).text);
      return 'done';
    },
    undefined,
    aTurnInput({ turn: 2, outcomes: [{ call: 1, error: 'Lambda.SdkClientException', cause: '' }] }),
  );
  const text =
    'Error: read_file failed - Lambda.SdkClientException. It is not known whether this call took place: look before you make it again.';
  const result = { callId: calls[0]?.id, name: 'read_file', text, isError: true };
  expect(told).toEqual([{ role: 'tool', results: [result] }, text]);
  expect(await store.callResult(at)).toMatchObject({ text, failure: 'outcome_unknown', durationMs: 0 });
});

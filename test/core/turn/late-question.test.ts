import { expect, test } from 'vitest';
import { createTeller } from '../../../src/core/events/tell.ts';
import { createTreeReader } from '../../../src/core/events/tree-reader.ts';
import { freshClock, pauseFor } from '../../../src/core/records/clock.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Plan } from '../../../src/core/records/plan.ts';
import { seconds, toMillis, treeInstant } from '../../../src/core/records/times.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { killAgent } from '../../../src/core/lifecycle/kill-agent.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { wakeAsker } from '../../../src/core/lifecycle/answer-question.ts';
import { askPerson } from '../../../src/core/turn/ask-person.ts';
import { closeRun, type RunEnd } from '../../../src/core/turn/close.ts';
import { takeTurn } from '../../../src/core/turn/turn.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemories } from '../../../src/places/store/memories.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { Death } from '../../fixtures/mortal.ts';
import { anAnswer, anOpened, aRun, aSubAgent, aTurn, aTurnInput } from '../../fixtures/records.ts';
import { latch, use } from '../../fixtures/stage.ts';
import { standingStill } from '../../fixtures/standing-still.ts';

const run = aRun();
const { id } = run;
const now = Date.parse(run.startedAt);

const PLANS = {
  ask_user: { kind: 'ask', question: 'why?' },
  read_file: {
    kind: 'invoke',
    subject: 'a.txt',
    writes: false,
    isRepeatable: true,
    seconds: seconds(9),
    gate: true,
  },
} satisfies Record<string, Plan>;

test.each(Object.entries(PLANS))(
  'a question is not asked by a function that is late: of a call of %s',
  async (name, plan) => {
    const table = createMemoryTable();
    const storeOf = () => createRunStore(table, createDocuments(table, NO_BLOBS));
    const store = storeOf();
    await store.insertRun(run);
    await store.saveOpened(id, anOpened());
    await store.saveTurn(id, aTurn({ answer: { calls: [use(name, {})] }, plans: [plan] }));
    const follow = () => {
      const top = { id, root: id, path: '' };
      const [reader, teller] = [createTreeReader(top, storeOf(), loadOwnTools, () => now), createTeller(top)];
      return async () => {
        await reader.read();
        return [...teller.news(reader.records)].map(({ event }) => event.type);
      };
    };
    const live = follow();
    const told = await live();

    const [asking, late] = [latch(), latch()];
    const woken: unknown[] = [];
    const own = storeOf();
    const frozen: typeof own = {
      ...own,
      async saveQuestion(question) {
        asking.open();
        await late.opened;
        return own.saveQuestion(question);
      },
    };
    const claim = { run: id, holder: 1, execution: 'arn' };
    const asked = askPerson(
      { ...claim, turn: 1, call: 1, patience: seconds(60), until: now + 1_000, token: 'token' },
      {
        store: frozen,
        wake: async (...woke) => void woken.push(woke),
        now: () => now,
      },
    );
    await asking.opened;
    // The machine has given it up.
    const error = 'States.Timeout';
    const ports = {
      store: storeOf(),
      memories: createMemories(table),
      models: { open: async () => ({ name, model: { send: async () => anAnswer({ text: 'well' }) } }) },
      tools: loadOwnTools,
      prices: createPrices(),
      now: () => now,
      random: () => 0,
    };
    const outcomes = [{ call: 1, error, cause: '' }];
    const input = aTurnInput({ turn: 2, outcomes, deadline: treeInstant(now + 9_000) });
    await takeTurn(input, ports, new AbortController().signal);
    told.push(...(await live()));

    late.open();
    expect([await asked, woken]).toEqual([undefined, [['token', { approved: false }]]]);
    told.push(...(await live()));
    expect(told).toEqual(await follow()());
    expect(told).toEqual([
      'run_opened',
      'turn_started',
      'turn_finished',
      'call_started',
      'call_finished',
      'turn_started',
      'turn_finished',
      'run_closed',
    ]);
    const open = [];
    for await (const each of store.openQuestions(id)) open.push(each);
    const listed = await table.query('questions', '')[Symbol.asyncIterator]().next();
    expect([await store.questionsOf(id), await store.clock(id), open, listed.value]).toEqual([
      [],
      undefined,
      [],
      undefined,
    ]);
  },
);

test.each(['saveQuestion', 'changeClock', 'saveAnswerWait'] as const)(
  'the clock goes on where an agent is ended while it is about to ask, before %s',
  async (what) => {
    const table = createMemoryTable();
    const store = createRunStore(table, createDocuments(table, NO_BLOBS));
    await store.insertRun(run);
    await store.saveOpened(id, anOpened());
    const calls = [use('ask_user', {})];
    await store.saveTurn(id, aTurn({ answer: { calls }, plans: [PLANS.ask_user] }));
    const end = { status: 'stopped', failure: { error: 'Stopped', message: 'enough' } } as const;
    const ended = async () => closeRun(run, await store.turns(id), end, { store, now: () => now });
    const ending = standingStill(store, what, ended);
    const woken: unknown[] = [];
    const input = { run: id, holder: 1, execution: 'arn', turn: 1, call: 1, patience: seconds(60) };
    const waiting = await askPerson(
      { ...input, until: now + 1_000, token: 'token' },
      { store: ending, wake: async (...woke) => void woken.push(woke), now: () => now },
    );
    const clock = await store.clock(id);
    const listed = await table.query('questions', '')[Symbol.asyncIterator]().next();
    expect([clock?.open ?? [], clock?.since, listed.value]).toEqual([[], undefined, undefined]);
    expect([waiting, woken]).toEqual([undefined, [['token', { approved: false }]]]);
  },
);

test('the state that waits is woken although a slow attempt to ask, which was made before, has left its token since', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  await store.insertRun(run);
  await store.saveOpened(id, anOpened());
  await store.saveTurn(id, aTurn({ answer: { calls: [use('ask_user', {})] }, plans: [PLANS.ask_user] }));
  const woken: string[] = [];
  const wake = async (token: string) => void woken.push(token);
  const at = { run: id, turn: 1, call: 1 };
  const ask = async (token: string, by = store) =>
    askPerson(
      { ...at, holder: 1, execution: 'arn', patience: seconds(60), until: now + 1_000, token },
      { store: by, wake, now: () => now },
    );
  await ask(
    'first',
    standingStill(store, 'saveAnswerWait', async () => ask('second')),
  );
  await store.saveAnswer({ ...at, root: id }, { text: 'so', at: run.startedAt });
  await wakeAsker(at, store, wake);
  expect(woken.toSorted()).toEqual(['first', 'second']);
});

test('the clock goes on where the function that ends an agent dies before it has closed its question, and is called again', async () => {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const kid = aSubAgent(run);
  for (const one of [run, kid]) await store.insertRun(one);
  await store.saveQuestion({
    run: kid.id,
    turn: 1,
    call: 1,
    root: id,
    agent: 'kid',
    question: '?',
    askedAt: run.startedAt,
  });
  await store.changeClock(id, () => pauseFor(freshClock(toMillis(seconds(60))), `${kid.id} t1c1`, now));
  const kill = (by: RunStore) =>
    killAgent(kid, 'killed by "top"', id, { ...NOTHING_RUNS, store: by, now: () => now });
  const dies = standingStill(store, 'closeQuestions', () => Promise.reject(new Death()));
  await expect(kill(dies)).rejects.toThrow(Death);
  expect(await kill(store)).toEqual([kid.id]);
  const listed = await table.query('questions', '')[Symbol.asyncIterator]().next();
  expect([(await store.clock(id))?.open, listed.value]).toEqual([[], undefined]);
});

const AT = { run: id, turn: 1, call: 1 };
const BROKE = { status: 'failed', failure: { error: 'AgentError', message: 'it broke' } } as const;
const LATE = { status: 'timed_out', failure: { error: 'States.Timeout', message: 'late' } } as const;

/** A run that asks a person, and can be taken over by another execution, which asks the same. */
async function openAsking(patience: number) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  await store.insertRun(run);
  await store.saveOpened(id, anOpened());
  const turn = aTurn({ answer: { calls: [use('ask_user', {})] }, plans: [PLANS.ask_user] });
  await store.saveTurn(id, turn);
  let time = now;
  return {
    store,
    pass: (milliseconds: number) => void (time += milliseconds),
    ask: (holder: number, execution: string, by = store) =>
      askPerson(
        { ...AT, holder, execution, patience: seconds(patience), until: time + 1_000, token: execution },
        { store: by, wake: async () => {}, now: () => time },
      ),
    end: (how: RunEnd, by = store) => closeRun(run, [turn], how, { store: by, now: () => time }),
    async open() {
      const open = [];
      for await (const { question } of store.openQuestions(id)) open.push(question.question);
      return open;
    },
  };
}

test('a question that is asked anew stays open although a slow function closes those of the execution before', async () => {
  const { store, ask, end, open } = await openAsking(60);
  await ask(1, 'arn');
  await end(
    BROKE,
    standingStill(store, 'closeQuestions', async () => ask(2, 'next')),
  );
  expect([await open(), (await store.clock(id))?.open]).toEqual([['why?'], [`${id} t1c1`]]);
});

test('nor is one taken back that is asked anew, by the slow function that had asked it in vain', async () => {
  const { store, ask, end, open } = await openAsking(60);
  const ended = standingStill(store, 'saveAnswerWait', () => end(BROKE));
  await ask(
    1,
    'arn',
    standingStill(ended, 'closeQuestions', async () => ask(2, 'next')),
  );
  expect([await open(), (await store.clock(id))?.open]).toEqual([['why?'], [`${id} t1c1`]]);
});

test('nor is one ended for want of time that is asked anew, by the slow function that had asked it before', async () => {
  const { store, ask, end, open, pass } = await openAsking(0);
  const stands = standingStill(store, 'saveAnswerWait', async () => {
    await end(LATE);
    pass(2_000);
    await ask(2, 'next');
  });
  await ask(1, 'arn', stands);
  expect(await open()).toEqual(['why?']);
});

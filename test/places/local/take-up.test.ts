import { expect, test } from 'vitest';
import type { StartingPorts } from '../../../src/core/lifecycle/ports.ts';
import type { Question } from '../../../src/core/records/question.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { LocalPipeline } from '../../../src/places/local/local-pipeline.ts';
import { CarriedError } from '../../../src/places/local/run-lock.ts';
import { takeUpLeft } from '../../../src/places/local/take-up.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';
import { aRun, aSubAgent, anOpened, aTurn } from '../../fixtures/records.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const TOP = aRun();
const KID = aSubAgent(TOP);
const ON = `2026-01-01T00:00:00.000Z run ${TOP.id} goes on where its server left it`;
const STAYS = `Warning: run ${TOP.id} was taken up 3 times and got no further, so it stays interrupted; continue with: POST /runs/${TOP.id}/resume, or close it with: POST /runs/${TOP.id}/stop`;

type CarryOut = (run: string, work: () => Promise<unknown>) => Promise<unknown>;

/** A tree of two that a server has left, and is left again and again. */
async function left(carryOut: CarryOut = async (_, work) => (await work()) ?? 'an execution') {
  const { runs } = createMemoryStore();
  for (const run of [TOP, KID]) {
    await runs.insertRun(run);
    await runs.saveOpened(run.id, anOpened({ root: TOP.id, agent: run.agent }));
    await runs.saveTurn(run.id, aTurn());
  }
  const forgotten: string[] = [];
  const local = {
    locks: { leftBy: async (server: string) => (server === 'dead' ? [TOP.id] : []) },
    serving: {
      gone: async () => ['empty', 'dead'],
      forget: async (server: string) => forgotten.push(server),
    },
  };
  // As if all of it were at work again, so that nothing has to be begun.
  const ports = { store: runs, now: () => NOW, executions: { isRunning: async () => true } };
  return {
    runs,
    async takeUp() {
      const told: string[] = [];
      forgotten.length = 0;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other part of them is used
      const [pipeline, starting] = [{ carryOut, local }, ports] as unknown as [LocalPipeline, StartingPorts];
      await takeUpLeft(pipeline, starting, (line) => told.push(line));
      const { takenUp } = (await runs.run(TOP.id)) ?? {};
      return { told, forgotten: [...forgotten], takenUp };
    },
  };
}

test('a tree that gets no further is taken up three times', async () => {
  const { runs, takeUp } = await left();
  const ended = { told: [ON], forgotten: ['empty', 'dead'] };
  expect(await takeUp()).toEqual({ ...ended, takenUp: { times: 1, turns: 2 } });
  expect(await takeUp()).toEqual({ ...ended, takenUp: { times: 2, turns: 2 } });
  expect(await takeUp()).toEqual({ ...ended, takenUp: { times: 3, turns: 2 } });
  expect(await takeUp()).toEqual({ told: [STAYS], forgotten: ['empty'], takenUp: { times: 3, turns: 2 } });
  await runs.saveTurn(KID.id, aTurn({ number: 2 }));
  expect(await takeUp()).toEqual({ ...ended, takenUp: { times: 1, turns: 3 } });
});

const asks = (runs: RunStore, run: string) => {
  const question: Question = {
    root: TOP.id,
    run,
    turn: 1,
    call: 1,
    agent: 'top',
    question: 'Which?',
    askedAt: '2026-01-01T00:00:00.000Z',
  };
  return runs.saveQuestion(question);
};

test('nothing is told where nothing went on', async () => {
  const { takeUp } = await left((_, work) => work());
  expect((await takeUp()).told).toEqual([]);
});

test('what a server was asked for that died before it began it is removed, and nothing is told', async () => {
  const { runs, takeUp } = await left((_, work) => work());
  await runs.deleteTrees([TOP.id]);
  await runs.saveRequest(TOP.id, { agent: 'top', prompt: 'go' });
  expect(await takeUp()).toEqual({ told: [], forgotten: ['empty', 'dead'], takenUp: undefined });
  expect(await runs.request(TOP.id)).toBeUndefined();
});

test.each<[string, number, (runs: RunStore) => Promise<unknown>]>([
  [
    'waits for people alone',
    1,
    async (runs) => {
      await asks(runs, TOP.id);
      await asks(runs, KID.id);
    },
  ],
  ['waits for agents that wait for people', 1, (runs) => asks(runs, KID.id)],
  ['works beside one that waits for people', 2, (runs) => asks(runs, TOP.id)],
])('a tree that %s is counted as often: %i', async (_, times, wait) => {
  const { runs, takeUp } = await left();
  await takeUp();
  await wait(runs);
  expect((await takeUp()).takenUp).toEqual({ times, turns: 2 });
});

test('a tree that another process carries is left to it, and what fails is told, and left to the next server', async () => {
  const carried = await left(() => Promise.reject(new CarriedError('it is carried')));
  expect(await carried.takeUp()).toEqual({ told: [], forgotten: ['empty', 'dead'], takenUp: undefined });
  const failing = await left(() => Promise.reject(new Error('the disk is full')));
  expect(await failing.takeUp()).toEqual({
    told: [`Error: run ${TOP.id}, which its server has left, does not go on: the disk is full`],
    forgotten: ['empty'],
    takenUp: undefined,
  });
});

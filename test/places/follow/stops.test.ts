import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { observed } from '../../../src/core/events/write.ts';
import type { Question } from '../../../src/core/records/question.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import { createFeed } from '../../../src/places/follow/feed.ts';
import { createFollow } from '../../../src/places/follow/follow.ts';
import type { ViewPorts } from '../../../src/places/follow/view.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { anOpened, aRun, aTurn, keepRun } from '../../fixtures/records.ts';
import { latch, use } from '../../fixtures/stage.ts';

async function aStoreWith(run: Run): Promise<RunStore> {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  await keepRun(store, run);
  await store.saveOpened(run.id, anOpened());
  return store;
}

const followIn = (ports: Pick<ViewPorts, 'store' | 'feed'>) =>
  createFollow({ isCarriedOut: async () => true, pollMs: 1, ...ports });

const named = (event: RunEvent) => `${event.type} ${'turn' in event ? event.turn : ''}`.trim();

test('who follows a run until it rests is told what it does for a message that is read in that moment', async () => {
  const top = aRun({ status: 'succeeded', hasMail: true, endedAt: '2026-01-01T00:00:01.000Z' });
  const store = await aStoreWith(top);
  await store.saveTurn(top.id, aTurn());
  let isWoken = false;
  const woken: RunStore = {
    ...store,
    async mails(id) {
      if (!isWoken) {
        isWoken = true;
        const [resumedAt, endedAt] = ['2026-01-01T00:00:02.000Z', '2026-01-01T00:00:04.000Z'];
        await store.updateRun(id, (run) => ({ ...run, status: 'running', resumedAt }));
        await store.saveTurn(id, aTurn({ number: 2, at: '2026-01-01T00:00:03.000Z' }));
        await store.updateRun(id, (run) => ({ ...run, status: 'succeeded', endedAt }));
      }
      return store.mails(id);
    },
  };
  const events: string[] = [];
  const { signal } = new AbortController();
  for await (const { event } of followIn({ store: woken }).follow(top.id, { signal, until: 'rest' }))
    events.push(named(event));
  expect(events.slice(3)).toEqual([
    'run_closed',
    'run_opened',
    'turn_started 2',
    'turn_finished 2',
    'run_closed',
  ]);
});

test('who follows after an answer until people have to answer is not stopped by what others saw before it', async () => {
  const top = aRun();
  const kept = await aStoreWith(top);
  const feed = createFeed();
  const store = observed(kept, feed.wrote);
  const at = { run: top.id, turn: 1, call: 1 };
  const question: Question = {
    ...at,
    root: top.id,
    agent: 'top',
    question: 'Deeper?',
    choices: [],
    askedAt: top.startedAt,
  };
  const plans = [{ kind: 'ask' as const, question: 'Deeper?', choices: [] }];
  await store.saveTurn(top.id, aTurn({ answer: { calls: [use('ask_user', {})] }, plans }));
  await store.saveQuestion(question);
  const goesOn = latch();
  let isAnswered = false;
  const slow: RunStore = {
    ...kept,
    async answer(of) {
      if (isAnswered) await goesOn.opened;
      return kept.answer(of);
    },
  };
  const { follow } = followIn({ store: slow, feed });
  const leaves = new AbortController();
  const others = follow(top.id, { signal: leaves.signal })[Symbol.asyncIterator]();
  for (let next = await others.next(); !next.done; next = await others.next())
    if (next.value.event.type === 'question_asked') break;
  isAnswered = true;
  await store.saveAnswer(question, { text: 'yes', at: '2026-01-01T00:00:01.000Z' });
  const events: string[] = [];
  const following = (async () => {
    for await (const { event } of follow(top.id, { signal: leaves.signal, until: 'pause' })) {
      events.push(named(event));
      if (event.type === 'call_finished') leaves.abort();
    }
  })();
  goesOn.open();
  await following;
  expect(events.slice(-3)).toEqual(['question_asked 1', 'question_answered 1', 'call_finished 1']);
});

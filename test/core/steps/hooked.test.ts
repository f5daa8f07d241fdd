import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { toHookedResult } from '../../../src/core/steps/hooked.ts';
import { ofKind } from '../../../src/core/steps/kinds.ts';
import { anOpened, aRun } from '../../fixtures/records.ts';

const AT = '2026-01-01T00:00:00.000Z';

test('a call whose result a person has denied to the model is paid for all the same', async () => {
  const store = createRunStore(createMemoryTable(), createDocuments(createMemoryTable(), NO_BLOBS));
  const run = aRun();
  const at = { run: run.id, turn: 1, call: 1 };
  const made = { text: 'found', isError: false, startedAt: AT, durationMs: 1 };
  const decided = { hook: 'check', on: 'after_call', decision: 'ask', at: AT, durationMs: 1 } as const;
  await store.insertRun(run);
  await store.withholdResult(at, { ...made, nanoUsd: 80 });
  await store.saveDecision({ ...at, hook: 0 }, decided);
  await store.saveAnswer({ ...at, root: run.id }, { text: 'deny', decision: 'deny', at: AT });
  const plan = {
    kind: 'invoke',
    subject: '',
    writes: false,
    isRepeatable: true,
    seconds: seconds(30),
    hooked: true,
  } as const;
  const hook = { ...decided, name: 'check', function: 'check', source: { function: 'check' } };
  const ended = {
    ...at,
    run,
    limits: anOpened().delegation,
    store,
    hooks: [{ ...hook, seconds: seconds(10) }],
    tools: { planned: () => undefined },
    outcome: undefined,
    now: 0,
  };
  expect(
    await toHookedResult(ofKind(plan), plan, { id: 'c1', name: 'web_search', arguments: {} }, ended),
  ).toEqual({
    callId: 'c1',
    name: 'web_search',
    text: 'Permission denied: "web_search" was denied by the user.',
    isError: true,
    nanoUsd: 80,
  });
});

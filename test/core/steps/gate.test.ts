import { expect, test } from 'vitest';
import { seconds } from '../../../src/core/records/times.ts';
import type { InvokePlan } from '../../../src/core/records/plan.ts';
import { planned } from '../../../src/core/steps/kinds.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { aDelegation, aRun } from '../../fixtures/records.ts';
import { slowly } from '../../fixtures/slowly.ts';

const plan: InvokePlan = {
  kind: 'invoke',
  subject: 'ls',
  writes: true,
  isRepeatable: false,
  seconds: seconds(60),
  gate: true,
};

test('an approval of every call is kept before the result of the first is, whose taker may have died before that', async () => {
  const table = createMemoryTable();
  const kept = createRunStore(table, createDocuments(table, NO_BLOBS));
  const run = aRun();
  const at = { run: run.id, turn: 1, call: 1 };
  const when = run.startedAt;
  await kept.saveAnswer(
    { ...at, root: run.root },
    { text: 'always', decision: 'always', by: 'ann', at: when },
  );
  await kept.saveCallResult(at, { text: 'a.txt', isError: false, startedAt: when, durationMs: 5 });

  const result = await planned(plan).toResult(
    { id: 'c1', name: 'run_command', arguments: { command: 'ls' } },
    {
      ...at,
      run,
      limits: aDelegation(),
      store: { ...kept, saveStandingApproval: slowly(kept.saveStandingApproval) },
      tools: await loadOwnTools([]),
      outcome: undefined,
      now: Date.parse(when),
    },
  );

  expect(result).toEqual({ callId: 'c1', name: 'run_command', text: 'a.txt', isError: false });
  expect(await kept.standingApproval(run.id, 'run_command')).toEqual({ at: when, by: 'ann' });
});

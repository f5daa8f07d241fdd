import { expect, test } from 'vitest';
import type { CallResult } from '../../../src/core/records/call.ts';
import type { InvokePlan } from '../../../src/core/records/plan.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { planned } from '../../../src/core/steps/kinds.ts';
import type { Outcome } from '../../../src/core/steps/outcome.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { aDelegation, aRun } from '../../fixtures/records.ts';

const plan: InvokePlan = {
  kind: 'invoke',
  subject: 'x',
  writes: true,
  isRepeatable: false,
  seconds: seconds(9),
};
const call = { id: 'a', name: 'deed', arguments: {} };

/** What the model reads of a call that its function has ended, and the times for which its run has waited. */
async function ended(outcome: Outcome | undefined, { kept, isRepeatable }: Case) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  const run = aRun();
  if (kept !== undefined) await store.saveCallResult({ run: run.id, turn: 2, call: 1 }, kept);
  const waited: unknown[] = [];
  const result = await planned({ ...plan, isRepeatable }).toResult(call, {
    run,
    turn: 2,
    call: 1,
    limits: aDelegation(),
    store,
    tools: await loadOwnTools([]),
    outcome,
    now: 5_000,
    waited: (...span) => void waited.push(span),
  });
  return { result, waited };
}
interface Case {
  kept?: CallResult;
  isRepeatable: boolean;
}

const UNKNOWN = 'It is not known whether this call took place: look before you make it again.';
test.each([
  [{ call: 1, error: 'States.Timeout' }, 'Error: deed timed out after 9s'],
  [{ call: 1, error: 'Sandbox.Timedout' }, 'Error: deed timed out after 9s'],
  [{ call: 1, error: 'Lambda.Unknown', cause: 'gone' }, 'Error: deed failed - Lambda.Unknown: gone'],
  [{ call: 1, error: 'Lambda.Unknown' }, 'Error: deed failed - Lambda.Unknown'],
  [{ call: 1 }, 'Error: deed failed - no result'],
  [undefined, 'Error: deed failed - no result'],
])('a call whose function left no result is an error that says why: %j', async (outcome, text) => {
  const failed = { callId: 'a', name: 'deed', isError: true };
  const waited = [['tool', 5_000]];
  expect(await ended(outcome, { isRepeatable: true })).toEqual({ result: { ...failed, text }, waited });
  const unsure = { ...failed, text: `${text}. ${UNKNOWN}` };
  expect(await ended(outcome, { isRepeatable: false })).toEqual({ result: unsure, waited });
});

test.each([false, true])(
  'a result that was kept is read as it is, whatever came then: %s',
  async (isError) => {
    const kept: CallResult = {
      text: 'so',
      isError,
      startedAt: '1970-01-01T00:00:02.000Z',
      durationMs: 1_500,
    };
    expect(await ended({ call: 1, error: 'States.Timeout' }, { kept, isRepeatable: false })).toEqual({
      result: { callId: 'a', name: 'deed', text: 'so', isError },
      waited: [['tool', 3_500, 2_000]],
    });
  },
);

import { expect, test } from 'vitest';
import {
  phaseOf,
  TRANSITIONS,
  type Phased,
  type PhaseFacts,
  type Stored,
} from '../../../src/core/records/phase.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryBlobs, createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { aRun, keepRun, STATUSES } from '../../fixtures/records.ts';

const failure = { error: 'Killed', message: 'killed by a person' };

test.each<[string, Phased | undefined, PhaseFacts]>([
  ['starting', undefined, {}],
  ['opening', { status: 'running' }, { isOpened: false }],
  ['working', { status: 'running' }, {}],
  ['waiting_person', { status: 'running' }, { waitsFor: 'person' }],
  ['waiting_mail', { status: 'running' }, { waitsFor: 'mail' }],
  ['waiting_agents', { status: 'running' }, { waitsFor: 'agents' }],
  ['waiting_batch', { status: 'running' }, { waitsFor: 'batch' }],
  ['closing', { status: 'running', exceeded: 'tokens' }, {}],
  ['resting', { status: 'idle' }, {}],
  ['resting', { status: 'idle', derivedBy: 'call_agent' }, {}],
  ['idle', { status: 'idle', beside: true }, {}],
  // A fork of an earlier release.
  ['idle', { status: 'idle', derivedBy: 'fork' }, {}],
  ['answered', { status: 'succeeded' }, {}],
  ['limited', { status: 'budget_exceeded', exceeded: 'tokens' }, {}],
  ['failed', { status: 'failed', failure: { error: 'Killed', message: 'by its own name' } }, {}],
  ['failed', { status: 'timed_out' }, {}],
  ['stopped', { status: 'stopped', failure: { error: 'Stopped', message: 'by a person' } }, {}],
  ['killed', { status: 'stopped', failure }, {}],
])('a run is %s: %j %j', (phase, run, facts) => {
  expect(phaseOf(run, facts)).toBe(phase);
});

const STORED = [...STATUSES, 'killed' as const];

function asStored(stored: Exclude<Stored, 'none'>, holder: number): Run {
  const carried = aRun({ holder, execution: `arn-${holder}` });
  return stored === 'killed' ? { ...carried, status: 'stopped', failure } : { ...carried, status: stored };
}

test('the store makes the changes of the table, and refuses all others', async () => {
  const made: string[] = [];
  for (const from of STORED) {
    for (const to of STORED) {
      for (const holder of ['lower', 'same', 'higher']) {
        const table = createMemoryTable();
        const store = createRunStore(table, createDocuments(table, createMemoryBlobs()));
        await keepRun(store, asStored(from, 2));
        const after = asStored(to, ['lower', 'same', 'higher'].indexOf(holder) + 1);
        const change = `${from} to ${to} (${holder})`;
        const isNote = from === to && holder === 'same';
        const done = store
          .updateRun(after.id, () => after)
          .then(
            () => change,
            () => undefined,
          );
        if (!isNote) made.push(...[await done].filter((each) => each !== undefined));
        else expect(await done).toBe(change);
      }
    }
  }
  const listed = TRANSITIONS.flatMap(({ from, to, holder }) =>
    from.flatMap((one) => to.map((other) => `${one} to ${other} (${holder})`)),
  );
  const changes = listed.filter((change) => !change.startsWith('none'));
  expect(made.toSorted()).toEqual([...new Set(changes)].toSorted());
});

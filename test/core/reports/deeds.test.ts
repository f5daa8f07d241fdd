import { expect, test } from 'vitest';
import { isOffered } from '../../../src/core/reports/words/deeds.ts';
import type { RunOverview } from '../../../src/core/reports/run-schemas.ts';
import { STATUSES } from '../../fixtures/records.ts';

const CALL = { run: 'a', turn: 1, call: 1 };

test('what people may do to a run follows from its state and its place', () => {
  const offered = (of: Partial<Pick<RunOverview, 'parent' | 'killed'>>) =>
    [...STATUSES, 'interrupted' as const].map((status) => {
      const run = { ...of, status };
      const deeds = (['stop', 'kill', 'resume', 'fork'] as const).filter((deed) => isOffered(deed, run));
      return `${status}: ${deeds.join(' ')}`;
    });
  expect(offered({}).toSorted()).toEqual([
    'budget_exceeded: fork',
    'failed: resume',
    'idle: stop fork',
    'interrupted: resume',
    'running: stop',
    'stopped: resume',
    'succeeded: fork',
    'timed_out: resume',
  ]);
  expect(offered({ parent: CALL }).toSorted()).toEqual([
    'budget_exceeded: fork',
    'failed: ',
    'idle: stop kill fork',
    'interrupted: kill',
    'running: stop kill',
    'stopped: ',
    'succeeded: fork',
    'timed_out: ',
  ]);
  expect(offered({ parent: CALL, killed: true }).filter((each) => !each.endsWith(': '))).toEqual([]);
});

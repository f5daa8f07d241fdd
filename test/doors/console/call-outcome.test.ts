import { expect, test } from 'vitest';
import { outcomeOf, subjectOf } from '../../../src/doors/console/detail/call-outcome.ts';
import { call, result } from './pictures/answers.ts';

test('a call is open until it has a result, and says why it failed as far as that is known', () => {
  const made = call('1', 'run_command', { command: 'npm test' });
  const approval = { run_id: 'r', agent: 'a', call: 't1c1', tool: made.name, decision: null, ended_at: null };
  const asking = { ...made, approval };
  const failed = (failure?: 'fault' | 'timeout') =>
    outcomeOf(made, result('1', 'run_command', 'no', { is_error: true, ...(failure && { failure }) }), true);
  expect([outcomeOf(made, undefined, true), outcomeOf(made, undefined, false)]).toEqual([
    { kind: 'open', word: 'under way' },
    { kind: 'open', word: 'not carried out' },
  ]);
  expect([outcomeOf(asking, undefined, true), outcomeOf(asking, undefined, false)]).toEqual([
    { kind: 'open', word: 'waits for approval' },
    { kind: 'open', word: 'not carried out' },
  ]);
  expect(outcomeOf(made, result('1', 'run_command', 'ok'), true)).toEqual({ kind: 'done', word: 'done' });
  expect(failed()).toEqual({ kind: 'failed', word: 'failed' });
  expect(failed('fault')).toEqual({ kind: 'failed', word: 'failed', explanation: 'The tool itself failed.' });
});

test.each([
  [{}, ''],
  [{ count: 3, note: 'x' }, 'x'],
  [{ note: 'x', path: 'a.md' }, 'a.md'],
  [{ path: '', command: 'npm\n  test' }, 'npm test'],
  [{ question: 'Which?', name: 'scout' }, 'Which?'],
  [{ command: 'x'.repeat(121) }, 'x'.repeat(120)],
])('the subject of a call with %j is %j', (given, subject) =>
  expect(subjectOf({ arguments: given })).toBe(subject),
);

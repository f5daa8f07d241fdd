import { expect, it } from 'vitest';
import { caughtOf } from './harness.ts';

it('the limits of an expression end a loop without end, which a Catch takes', async () => {
  expect(await caughtOf('($f := function($x) { $f($x) }; $f(1))')).toEqual({
    Error: 'States.QueryEvaluationError',
    Cause: expect.stringContaining(
      'threw an error during evaluation: Expression evaluation timeout: Check for infinite loop',
    ),
  });
});

import { test } from 'vitest';
import { expectAccepted, interpreter } from './scenario.ts';

const expected = interpreter();

// An agent that takes eight seconds is asked again in both of them.
test('scenarios in which what was stopped goes on show what was accepted', async () => {
  await expectAccepted(['resume', 'deployment'], expected.rig);
});

import { expect, test } from 'vitest';
import { openCalls } from '../../../src/core/reports/open-calls.ts';
import type { CallKey } from '../../../src/core/records/call.ts';
import type { Answer, Question } from '../../../src/core/records/question.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { aTurn } from '../../fixtures/records.ts';

const ASKED_AT = '2026-03-12T10:00:00.000Z';
const ANSWERED_AT = '2026-03-12T10:05:00.000Z';

const gated = {
  kind: 'invoke',
  subject: 'a',
  writes: true,
  isRepeatable: false,
  seconds: seconds(60),
  gate: true,
} as const;

const question = (at: CallKey): Question => ({
  ...at,
  root: at.run,
  agent: 'top',
  question: 'Which?',
  askedAt: ASKED_AT,
});

test.each<[string, Answer, { at: number }]>([
  ['a question is over with its answer', { text: 'red', at: ANSWERED_AT }, { at: Date.parse(ANSWERED_AT) }],
  ['a question is over when no answer came in time', { at: ANSWERED_AT }, { at: Date.parse(ANSWERED_AT) }],
])('%s', async (_, answer, end) => {
  const turn = aTurn({ plans: [{ kind: 'ask', question: 'Which?' }, gated] });
  const open = await openCalls('top', turn, {
    question: async (at) => question(at),
    answer: async ({ call }) => (call === 1 ? answer : undefined),
    callResult: async () => undefined,
  });
  expect(open?.ends).toEqual([end, undefined]);
});

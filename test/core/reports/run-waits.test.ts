import { expect, test } from 'vitest';
import type { RunRecords } from '../../../src/core/events/records.ts';
import type { Plan } from '../../../src/core/records/plan.ts';
import type { AskedQuestion } from '../../../src/core/records/question.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { waitsForPeople, waitsOf } from '../../../src/core/reports/run-waits.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';

const AT = '2026-01-01T00:00:05.000Z';
const ASKED_AT = '2026-01-01T00:00:06.000Z';
const reads: Plan = { kind: 'invoke', subject: 'a', writes: false, isRepeatable: true, seconds: seconds(9) };
const writes: Plan = { ...reads, writes: true };
const delegates: Plan = { kind: 'delegate', agent: 'kid', task: 'x', context: '' };
const waits: Plan = { kind: 'wait', seconds: seconds(9), from: ['kid'] };
const asks: Plan = { kind: 'ask', question: 'which?' };

const asked = (
  call: number,
  more: Partial<AskedQuestion['question']> = {},
  answer?: AskedQuestion['answer'],
) => ({
  question: {
    run: 'top',
    root: 'top',
    agent: 'top',
    turn: 1,
    call,
    question: 'which?',
    askedAt: ASKED_AT,
    ...more,
  },
  answer,
});

/** A run whose last turn makes these calls, of which those with a time have ended. */
function running(
  plans: Plan[],
  ends: (number | undefined)[] = [],
  questions: AskedQuestion[] = [],
): RunRecords {
  const calls = plans.map((_, index) => ({ id: `c${index}`, name: `tool${index + 1}`, arguments: {} }));
  return {
    run: aRun(),
    opened: undefined,
    turns: [
      {
        turn: aTurn({ answer: { calls }, plans, at: AT }),
        children: [],
        questions: plans.map((_, index) => questions.find(({ question }) => question.call === index + 1)),
        begins: [],
        ends: plans.map((_, index) => {
          const at = ends[index];
          return at === undefined ? undefined : { at, text: '', isError: false, durationMs: 0 };
        }),
      },
    ],
  };
}

const model = (since: string) => ({ for: 'model', since });
const tool = (call: number) => ({ for: 'tool', since: AT, tool: `tool${call}`, subject: 'a' });
const person = (call: number, more = {}) => ({
  for: 'person',
  since: ASKED_AT,
  question_id: `t1c${call}`,
  question: 'which?',
  ...more,
});
const agents = { for: 'agents', since: AT };
const END = Date.parse(AT) + 2_000;
const ENDED = '2026-01-01T00:00:07.000Z';

test.each<[string, RunRecords, unknown[], boolean]>([
  ['its model, at first', { ...running([]), turns: [] }, [model('2026-01-01T00:00:00.000Z')], false],
  [
    'its model, once it is resumed',
    { ...running([]), turns: [], run: aRun({ resumedAt: ENDED }) },
    [model(ENDED)],
    false,
  ],
  ['its model, once all calls have ended', running([reads, reads], [END, 0]), [model(ENDED)], false],
  [
    'its model, of whose calls none had to be made',
    running([{ kind: 'done', text: '', isError: false }], [0]),
    [model(AT)],
    false,
  ],
  ['tools, which run at once', running([reads, reads, delegates], [END]), [tool(2), agents], false],
  [
    'agents, once for all of them, behind others',
    running([delegates, delegates, reads]),
    [tool(3), agents],
    false,
  ],
  ['the first of what is done one by one', running([writes, writes, reads]), [tool(1)], false],
  ['the next of it', running([writes, writes, reads], [END]), [tool(2)], false],
  ['messages', running([waits]), [{ for: 'messages', since: AT, from: ['kid'] }], false],
  ['a person', running([asks], [], [asked(1)]), [person(1)], true],
  ['a question that is not asked yet', running([asks]), [model(AT)], false],
  ['a person and a tool', running([asks, reads], [], [asked(1)]), [person(1), tool(2)], false],
  ['a person and agents', running([asks, delegates], [], [asked(1)]), [person(1), agents], true],
  [
    'a person who is to approve a call',
    running([writes], [], [asked(1, { approval: { tool: 'tool1', arguments: {} } })]),
    [person(1, { tool: 'tool1' })],
    true,
  ],
  ['a call that a person has approved', running([writes], [], [asked(1, {}, { at: AT })]), [tool(1)], false],
  [
    'a person who is to decide about its words',
    { ...running([reads], [END]), aboutTexts: new Map([[2, asked(0)]]) },
    [person(0)],
    true,
  ],
  [
    'its model, once a person has decided',
    { ...running([reads], [END]), aboutTexts: new Map([[2, asked(0, {}, { at: AT })]]) },
    [model(ENDED)],
    false,
  ],
])('a run waits for %s', (_, records, expected, isForPeople) => {
  expect([waitsOf(records), waitsForPeople([records])]).toEqual([expected, isForPeople]);
});

test('a tree waits for people where any run does, and none for anything that goes on by itself', () => {
  const waiting = running([asks], [], [asked(1)]);
  const working = running([reads]);
  const over = { ...working, run: aRun({ status: 'succeeded' }) };
  expect([[waiting, working], [waiting, over], [over], []].map(waitsForPeople)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

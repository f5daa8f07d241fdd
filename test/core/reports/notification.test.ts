import { describe, expect, test } from 'vitest';
import { notificationOf } from '../../../src/core/reports/notification.ts';
import { questionEvent } from '../../../src/core/reports/question-event.ts';
import type { Question, UnansweredQuestion } from '../../../src/core/records/question.ts';
import { headlineOf, mailOf } from '../../../src/places/notify/words.ts';
import { questionsToRemindOf } from '../../../src/places/notify/reminders.ts';

const ASKED = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE = 60_000;

function open(more: Partial<Question> = {}, minutes?: number): UnansweredQuestion {
  const question: Question = {
    root: 'top-1',
    run: 'style-2',
    turn: 1,
    call: 2,
    agent: 'style',
    question: 'Which one?',
    askedAt: new Date(ASKED).toISOString(),
    ...more,
  };
  return minutes === undefined
    ? { question }
    : { question, wait: { token: 'secret', until: ASKED + minutes * MINUTE } };
}
const APPROVAL = { approval: { tool: 'bash', arguments: { command: 'ls' } }, leadsTo: 'b', choices: ['yes'] };
const LINKS = { url: 'https://page.example/r', answerUrl: 'https://page.example/a' };

describe('a question that is put before people elsewhere', () => {
  test('says whose it is, and where it is answered', () => {
    const asked = {
      run_id: 'style-2',
      root: 'top-1',
      agent: 'style',
      question_id: 't1c2',
      question: 'Which one?',
      expires_at: '2026-01-01T00:20:00.000Z',
    };
    expect([
      notificationOf(open({ choices: ['a', 'b'] }, 20), { isReminder: false }),
      notificationOf(open(APPROVAL, 20), { isReminder: false, links: LINKS }),
      notificationOf(open(), { isReminder: true }),
    ]).toEqual([
      {
        type: 'question',
        ...asked,
        choices: ['a', 'b'],
        tool: null,
        arguments: null,
        url: null,
        answer_url: null,
      },
      {
        type: 'approval',
        ...asked,
        choices: ['yes'],
        tool: 'bash',
        arguments: { command: 'ls' },
        url: LINKS.url,
        answer_url: LINKS.answerUrl,
      },
      {
        type: 'reminder',
        ...asked,
        expires_at: null,
        choices: [],
        tool: null,
        arguments: null,
        url: null,
        answer_url: null,
      },
    ]);
  });

  test('is a mail in words', () => {
    const mail = (asked: UnansweredQuestion, isReminder: boolean, links?: typeof LINKS) =>
      mailOf(notificationOf(asked, { isReminder, links }), 'write it');
    expect(mail(open({ choices: ['a', 'b'] }), false)).toEqual({
      subject: 'style asks',
      text: 'style asks:\n\nWhich one?\n\n- a\n- b\n\nTask: write it (run style-2)',
    });
    expect(mail(open(APPROVAL, 20), true, LINKS)).toEqual({
      subject: 'style asks to call bash (reminder)',
      text: [
        'style asks to call bash (reminder):',
        'Which one?',
        '{\n  "command": "ls"\n}',
        'Until 2026-01-01 00:20 UTC. Task: write it (run style-2)',
        'Answer here, once: https://page.example/a',
        'The run: https://page.example/r',
      ].join('\n\n'),
    });
    const long = notificationOf(open({ agent: `é\n${'x'.repeat(100)}` }), { isReminder: false });
    expect(headlineOf(long)).toBe(`é\n${'x'.repeat(100)} asks`);
    expect(mailOf(long, '').subject).toBe(`??${'x'.repeat(97)}`);
  });

  test('is an event without its arguments and with bounded texts', () => {
    const event = {
      environment: 'dev',
      run_id: 'style-2',
      root: 'top-1',
      agent: 'style',
      question_id: 't1c2',
      asked_at: '2026-01-01T00:00:00.000Z',
      expires_at: null,
    };
    const texts = (question: number, choice: number) =>
      questionEvent('dev', open({ question: 'q'.repeat(question), choices: ['c'.repeat(choice)] }));
    expect(questionEvent('dev', open(APPROVAL))).toEqual({
      ...event,
      question: 'Which one?',
      choices: ['yes'],
      tool: 'bash',
      leads_to: 'b',
    });
    expect(texts(2_000, 200)).toEqual({ ...event, question: 'q'.repeat(2_000), choices: ['c'.repeat(200)] });
    expect(texts(2_001, 201)).toEqual({
      ...event,
      question: `${'q'.repeat(1_999)}…`,
      choices: [`${'c'.repeat(199)}…`],
    });
  });
});

test('people are reminded in the last quarter of ten minutes and more', async () => {
  const waiting = [open({ call: 1 }), open({ call: 2 }, 9.99), open({ call: 3 }, 10), open({ call: 4 }, 40)];
  const dueAt = async (minutes: number) => {
    const store = {
      async *openQuestions() {
        yield* waiting;
      },
    };
    const due = await questionsToRemindOf(store, ASKED + minutes * MINUTE);
    return due.map(({ question }) => question.call);
  };
  const calls = await Promise.all([7.4, 7.5, 9.9, 10, 29.9, 30, 39.9, 40].map(dueAt));
  expect(calls).toEqual([[], [3], [3], [], [], [4], [4], []]);
});

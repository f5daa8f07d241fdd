import { aQuestion, questionsOf, ago } from '../../pictures/answers.ts';
import type { Scene } from '../../pictures/draw.ts';
import { REFUND } from '../../pictures/scenes/dialogs.ts';
import { type Act, RUN, sceneOf, press, over, fill, REFUSED } from './act.ts';

const answer = `POST runs/${RUN}/questions/t1c1/answer`;
const taken = { run_id: RUN, question_id: 't1c1', answer: 'approve', answered_at: ago(0) };

const DEEP = {
  type: 'object',
  properties: {
    a: {
      type: 'object',
      properties: {
        b: { type: 'object', properties: { c: { type: 'object', properties: { d: { type: 'string' } } } } },
      },
    },
  },
};

/** A question, and what a person does with it. */
const asked = (act: Act['act'], answers: Scene['answers'] = { [answer]: taken }): Act => ({
  scene: { ...sceneOf('dialog-arguments') },
  answers,
  act,
  look: '.question, .frame-nav > .spoken',
});

/** A schema with fields of every kind, and arguments that do not follow it everywhere. */
const FIELDS = {
  parameters: {
    type: 'object',
    required: ['to', 'count', 'kind', 'missing'],
    additionalProperties: false,
    properties: {
      to: { type: 'string', title: 'Recipient', format: 'email', description: 'Who gets it' },
      note: { type: 'string', title: ' ' },
      count: { type: 'integer', minimum: 1, maximum: 5 },
      share: { type: 'number' },
      kind: { enum: ['a', 2, null] },
      odd: { enum: ['x'] },
      is: { type: 'boolean' },
      list: { type: 'array', items: { type: 'string' } },
      pair: { type: 'array', prefixItems: [{}] },
      any: {},
      either: { anyOf: [{ type: 'string' }] },
      none: { type: 'object' },
      deep: DEEP,
      missing: { type: 'string' },
      more: { type: 'object', required: ['x'], properties: { x: { type: 'number', minimum: 3 }, y: {} } },
    },
  },
  arguments: {
    to: 'a@b.example',
    note: 'one\ntwo',
    count: 7,
    share: 0.5,
    kind: 2,
    odd: 'y',
    is: 'no',
    list: ['a', 1],
    pair: [1],
    any: { x: 1 },
    either: 'z',
    none: {},
    deep: { a: { b: { c: { d: 'e' } } } },
    unknown: 'kept',
  },
};

export const QUESTIONS: Record<string, Act> = {
  approve: asked(press('Approve')),
  'approve-always': asked(press('Approve create_refund')),
  'approve-refused': asked(press('Approve'), { [answer]: REFUSED }),
  'look-at-a-result': {
    scene: {
      ...sceneOf('dialog-arguments'),
      answers: {
        ...sceneOf('dialog-arguments').answers,
        questions: questionsOf({ ...REFUND, about: 'result', choices: ['approve', 'deny'] }),
      },
      until: 'May it call',
    },
    act: press(),
    look: '.question',
  },
  deny: asked(press('Deny…', 'Deny')),
  'deny-with-a-reason': asked(async (person) => {
    await press('Deny…', 'Back', 'Deny…')(person);
    await fill(person, { '.question textarea': ' not today ' });
    await press('Deny')(person);
  }),
  'change-arguments': asked(async (person) => {
    await press('Change arguments…')(person);
    const [order, amount] = ['.schema-field textarea', '.schema-field [type=number]'];
    await fill(person, { [order]: '', [amount]: '-1' });
    await person.look('.arguments-form');
    await fill(person, { [order]: 'B-1', [amount]: '3', '.schema-field select': '2' });
    await press('Leave out notify', 'Add one to lines', 'Leave out lines 1')(person);
    await person.look('.arguments-form');
    await press('As JSON')(person);
    await person.look('.arguments-form');
    await fill(person, { 'textarea.code': '{' });
    await person.look('.arguments-form');
    await press('Approve with these')(person);
    await fill(person, { 'textarea.code': '{"order": "C", "amount": 2, "reason": "goodwill"}' });
    await press('As fields', 'Approve with these')(person);
  }),
  'arguments-refused': {
    // With an id of its own: what was written for another question is kept.
    scene: {
      ...sceneOf('dialog-arguments'),
      answers: Object.fromEntries(
        Object.entries(sceneOf('dialog-arguments').answers).map(([path, reply]) => [
          path.replace('t1c1', 't1c9'),
          path.startsWith('q') ? questionsOf({ ...REFUND, question_id: 't1c9' }) : reply,
        ]),
      ),
    },
    answers: {
      [answer.replace('t1c1', 't1c9')]: {
        status: 422,
        detail: 'the arguments are wrong',
        errors: [
          { field: 'arguments.order', detail: 'no such order' },
          { field: 'choice', detail: 'elsewhere' },
        ],
      },
    },
    act: press('Change arguments…', 'Approve with these'),
    look: '.arguments-form, .problem',
  },
  'answer-by-choice': {
    scene: sceneOf('run-waits-for-an-answer'),
    answers: { [answer]: { ...taken, answer: 'billing' } },
    act: press('billing'),
    look: '.question',
  },
  'answer-in-words': {
    scene: sceneOf('run-waits-for-an-answer'),
    answers: { [answer]: taken },
    async act(person) {
      await fill(person, { '.question textarea': 'The one that is idle' });
      await press('Answer')(person);
    },
    look: '.question',
  },
  'approve-alike': {
    ...over(
      'frame-questions-alike',
      {
        [`POST runs/${RUN}/questions/t2c1/answer`]: taken,
        [`POST runs/${RUN}/questions/t2c2/answer`]: { ...taken, answer: 'deny' },
        [`POST runs/${RUN}/questions/t2c4/answer`]: REFUSED,
      },
      async (person) => {
        await person.locator('.alike input').nth(2).click();
        await person.look('.question');
        await press('Approve these 3')(person);
        await person.look('.outcomes');
        await person.locator('.outcomes button').first().click();
      },
    ),
    look: 'dialog',
  },
  'deny-alike': over(
    'frame-questions-alike',
    {},
    async (person) => {
      for (const number of [0, 1, 2, 3]) await person.locator('.alike input').nth(number).click();
      await press('Approve these 0', 'Deny these 0')(person);
      await person.look('.choices');
      for (const number of [0, 1]) await person.locator('.alike input').nth(number).click();
      await press('Deny these 2')(person);
      await fill(person, { '.question textarea': 'No' });
      await press('Deny')(person);
      await person.look('.outcomes');
      await person.locator('.outcomes button').first().click();
    },
    'dialog',
  ),
  'asked-of-nobody': {
    scene: {
      ...sceneOf('home-quiet'),
      answers: { ...sceneOf('home-quiet').answers, questions: questionsOf(aQuestion({ choices: [] })) },
    },
    act: async () => {},
    look: '.question',
  },
  'fields-of-every-kind': {
    scene: {
      ...sceneOf('dialog-arguments'),
      answers: {
        ...sceneOf('dialog-arguments').answers,
        questions: questionsOf({ ...REFUND, question_id: 't1c7' }),
        [`runs/${RUN}/questions/t1c7`]: { ...REFUND, question_id: 't1c7', ...FIELDS },
      },
    },
    answers: { [answer.replace('t1c1', 't1c7')]: taken },
    async act(person) {
      await press('Change arguments…')(person);
      await person.look('.arguments-form');
      await press('Leave out note', 'Add one to list', 'Add more')(person);
      await fill(person, {
        '.schema-field [type=number]': '5',
        '.schema-field textarea.code': 'nothing',
      });
      await person.look('.arguments-form');
      await fill(person, { '.schema-field textarea.code': 'true' });
      await press('As JSON')(person);
      await person.look('textarea.code');
      await press('As fields', 'Approve with these')(person);
    },
    look: '.problem',
  },
};

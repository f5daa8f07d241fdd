import type { SeenPage } from '../seen-page.ts';
import { aQuestion, anOverview, answers, asks, questionsOf, said } from '../answers.ts';
import type { Scene } from '../draw.ts';
import { aReview, aRun, reading, reviewed } from './run.ts';

const [top] = aReview();
const at = `#/runs/${top.run_id}`;

const press =
  (...names: string[]) =>
  async (page: SeenPage) => {
    for (const name of names) await page.getByRole('button', { name }).first().click();
  };

/** A dialog over a run in some state. */
function over(status: Partial<typeof top>, ...names: string[]): Scene {
  const runs = aReview(status);
  return {
    at,
    answers: aRun(runs, reviewed),
    until: reading('One finding'),
    isInSight: true,
    act: press(...names),
  };
}

const OPEN = { status: 'running', ended_at: null, duration_ms: null } as const;

export const REFUND = aQuestion({
  question_id: 't1c1',
  question: 'May it call create_refund?',
  choices: ['approve', 'deny', 'always'],
  tool: 'create_refund',
  arguments: {
    order: 'A-2201',
    amount: 12.5,
    reason: 'twice charged',
    notify: true,
    lines: [{ sku: 'X1', count: 2 }],
  },
});

const PARAMETERS = {
  type: 'object',
  required: ['order', 'amount', 'reason'],
  properties: {
    order: { type: 'string', description: 'As it stands on the receipt' },
    amount: { type: 'number', minimum: 0, description: 'In euros' },
    reason: { type: 'string', enum: ['twice charged', 'returned', 'goodwill'] },
    notify: { type: 'boolean', description: 'Whether the customer is told' },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' }, count: { type: 'integer' } } },
    },
  },
};

const asking = (more: Partial<Scene>, ...names: string[]): Scene => ({
  at,
  answers: aRun(
    [anOverview('review', OPEN)],
    said([asks('Refund it'), answers(1, 'This order was charged twice.')]),
    {
      questions: questionsOf(REFUND),
      [`runs/${top.run_id}/questions/t1c1`]: { ...REFUND, parameters: PARAMETERS },
    },
  ),
  until: 'review wants to use create_refund',
  act: press(...names),
  ...more,
});

export const DIALOGS: Record<string, Scene> = {
  'dialog-arguments': asking({}, 'Change arguments…'),
  'dialog-arguments-as-json': asking(
    {
      answers: {
        ...asking({}).answers,
        [`runs/${top.run_id}/questions/t1c1`]: {
          ...REFUND,
          parameters: { type: 'object', oneOf: [{}, {}] },
        },
      },
    },
    'Change arguments…',
  ),
  'dialog-deny': asking({}, 'Deny…'),
  'dialog-stop': over(OPEN, 'Stop…'),
  'dialog-kill': {
    ...over(OPEN, 'Kill…'),
    at: `${at}/agents/${aReview()[1].run_id}`,
    answers: aRun([anOverview('review', OPEN), { ...aReview()[1], ...OPEN }], reviewed),
    until: reading('Look at the change'),
  },
  'dialog-budget': over({}, 'Budget…'),
  'dialog-resume': over({ status: 'failed', error: 'the key is not valid' }, 'Resume with another model…'),
  'dialog-fork': over({}, 'Fork from here…'),
};

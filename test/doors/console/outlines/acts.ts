import {
  aPlace,
  ago,
  anOverview,
  answers,
  aQuestion,
  asks,
  below,
  call,
  listed,
  listOf,
  questionsOf,
  result,
  results,
  said,
  treeOf,
} from '../pictures/answers.ts';
import type { Scene } from '../pictures/draw.ts';
import { SCENES } from '../pictures/scenes.ts';
import { REFUND } from '../pictures/scenes/dialogs.ts';
import { aReview, aRun, reviewed } from '../pictures/scenes/run.ts';
import type { Person } from './person.ts';

/** What a person does in a scene, and what of the page is looked at after that. */
export interface Act {
  scene: Scene;
  /** Answers besides those of the scene; those to what changes something are named with their method. */
  answers?: Scene['answers'];
  at?: string;
  act: (person: Person) => Promise<void>;
  look: string;
}

const RUN = 'review-19ce1f3a2b7c41';
const REFUSED = { status: 422, detail: 'the server says why not' };

function sceneOf(name: string): Scene {
  const scene = SCENES[name];
  if (scene === undefined) throw new Error(`there is no scene ${name}`);
  return scene;
}

/** Presses one button after the other. */
const press =
  (...names: string[]) =>
  async (person: Person) => {
    for (const name of names) await person.getByRole('button', { name }).first().click();
  };

/** Fills fields in, by their selectors. */
async function fill(person: Person, texts: Record<string, string>): Promise<void> {
  for (const [selector, text] of Object.entries(texts)) await person.locator(selector).first().fill(text);
}

const keys =
  (...all: string[]) =>
  async (person: Person) => {
    for (const key of all) await person.keyboard.press(key);
  };

const answer = `POST runs/${RUN}/questions/t1c1/answer`;
const taken = { run_id: RUN, question_id: 't1c1', answer: 'approve', answered_at: ago(0) };

/** A question, and what a person does with it. */
const asked = (act: Act['act'], answers: Scene['answers'] = { [answer]: taken }): Act => ({
  scene: { ...sceneOf('dialog-arguments') },
  answers,
  act,
  look: '.question, .frame-nav > .spoken',
});

/** A dialog over a run. */
const over = (scene: string, answers: Scene['answers'], act: Act['act'], look = '.actions, dialog'): Act => ({
  scene: sceneOf(scene),
  answers,
  act: async (person) => {
    await sceneOf(scene).act?.(person);
    await act(person);
  },
  look,
});

const budget = { max_tokens: 200_000, max_usd: 2, max_turns: 40, max_tool_calls: 100 };

const EVALS = {
  evals: [
    {
      id: 'e1',
      file: 'evals/review.toml',
      agent: 'review',
      env: 'staging',
      ended_at: ago(300),
      passed: false,
      variants: [
        { name: 'now', pass: { rate: 0.875, low: 0.6, high: 0.97 }, tries: 8, cached: 3 },
        { name: 'smaller', pass: { rate: 0.5, low: 0.2, high: 0.8 }, tries: 1, cached: 0 },
      ],
      comparisons: [{ from: 'now', to: 'smaller', difference: -0.375, changed: ['a', 'b', 'c'] }],
      thresholds: [
        { variant: 'now', threshold: 'pass_rate', wanted: 0.9, passed: false },
        { variant: 'smaller', threshold: 'usd', wanted: 1, passed: true },
      ],
      failed: [{ case: 'refund', variant: 'smaller', run_id: RUN, reasons: ['no refund', 'too long'] }],
    },
    {
      id: 'e2',
      file: 'evals/small.toml',
      agent: 'tests',
      ended_at: ago(90_000),
      passed: true,
      variants: [{ name: 'now', pass: { rate: 1, low: 0.9, high: 1 }, tries: 20, cached: 0 }],
      comparisons: [],
      thresholds: [{ variant: 'now', threshold: 'pass_rate', wanted: 0.9, passed: false }],
      failed: [{ case: 'one', variant: 'now', run_id: RUN, reasons: ['slow'] }],
    },
  ],
};

const COSTS = { rows: [], next: null, limits: [] };

const SERVERS = {
  servers: [
    { id: 's1', name: 'tickets', host: 'tickets.example', agents: ['review', 'tests'], connected: false },
    {
      id: 's2',
      name: 'wiki',
      host: 'wiki.example',
      agents: ['review'],
      connected: true,
      lacks: 'write admin',
    },
    {
      id: 's3',
      name: 'mail',
      host: 'mail.example',
      agents: ['tests'],
      connected: false,
      how_to: 'cadre mcp login mail',
    },
  ],
};

const servers = (act: Act['act'], answers: Scene['answers'] = {}, at = '#/servers'): Act => ({
  scene: { at, answers: aPlace({ servers: SERVERS, ...answers }), until: 'Servers' },
  act,
  look: 'main',
});

const longSaid = said([
  asks('Read it'),
  answers(1, 'I read it.', call('a', 'read_file', { path: 'a.md' })),
  results(result('a', 'read_file', 'line\n'.repeat(40), { characters: 1_000 })),
]);

const child = below(anOverview('review'), 'security', 1);

export const ACTS: Record<string, Act> = {
  'start-a-run': {
    scene: sceneOf('frame-start'),
    answers: {
      'POST agents/tests/runs': listed(anOverview('tests')),
      ...aRun([anOverview('tests')], longSaid),
    },
    async act(person) {
      await press('Start a run')(person);
      await fill(person, {
        'dialog select': 'tests',
        'dialog [name=prompt]': 'Try it',
        'dialog [name=context]': ' about this ',
        'dialog [name=model]': 'openai/gpt-6',
        'dialog [name=timeout]': '60',
        'dialog [name=max_usd]': '0.5',
        'dialog [name=max_turns]': '7',
      });
      await person.look('dialog');
      await person.getByRole('button', { name: 'Start' }).nth(1).click();
    },
    look: 'dialog',
  },
  'start-refused': {
    scene: sceneOf('frame-start'),
    answers: { 'POST agents/review/runs': REFUSED },
    async act(person) {
      await press('Start a run')(person);
      await fill(person, { 'dialog [name=prompt]': 'Try it' });
      await person.getByRole('button', { name: 'Start' }).nth(1).click();
      await person.getByRole('button', { name: 'Start' }).nth(1).click();
    },
    look: 'dialog',
  },
  'first-run': {
    scene: sceneOf('home-empty'),
    answers: { 'POST agents/digest/runs': REFUSED },
    act: press('Run digest'),
    look: '.home-first > p, .home-first > button',
  },
  approve: asked(press('Approve')),
  'approve-always': asked(press('Approve create_refund')),
  'approve-refused': asked(press('Approve'), { [answer]: REFUSED }),
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
  'send-a-message': {
    scene: sceneOf('run-succeeded'),
    answers: { [`POST runs/${RUN}/messages`]: {} },
    async act(person) {
      await fill(person, { '.send textarea': 'And the rest?' });
      await press('Send')(person);
      await person.pass(3_000);
      await person.look('.send');
      await fill(person, { '.send textarea': 'More' });
    },
    look: '.send',
  },
  'message-refused': {
    scene: sceneOf('run-succeeded'),
    answers: { [`POST runs/${RUN}/messages`]: REFUSED },
    async act(person) {
      await fill(person, { '.send textarea': 'And the rest?' });
      await press('Send')(person);
    },
    look: '.send',
  },
  stop: over('dialog-stop', { [`POST runs/${RUN}/stop`]: {} }, (person) =>
    person.locator('dialog .danger').first().click(),
  ),
  'stop-refused': over('dialog-stop', { [`POST runs/${RUN}/stop`]: REFUSED }, (person) =>
    person.locator('dialog .danger').first().click(),
  ),
  'stop-called-off': over('dialog-stop', {}, (person) =>
    person.locator('dialog .head button').first().click(),
  ),
  kill: over('dialog-kill', { [`POST runs/${child.run_id}/kill`]: {} }, (person) =>
    person.locator('dialog .danger').first().click(),
  ),
  'stop-below': {
    scene: sceneOf('dialog-kill'),
    act: press('Stop…'),
    look: 'dialog',
  },
  resume: {
    scene: sceneOf('run-failed'),
    answers: { [`POST runs/${RUN}/resume`]: {} },
    act: press('Resume'),
    look: '.actions',
  },
  'resume-with': over('dialog-resume', { [`POST runs/${RUN}/resume`]: {} }, async (person) => {
    await fill(person, { 'dialog input': ' openai/gpt-6 ' });
    await person.locator('dialog [type=submit]').first().click();
  }),
  budget: {
    scene: {
      ...sceneOf('run-succeeded'),
      answers: { ...sceneOf('run-succeeded').answers, [`runs/${RUN}/tree`]: treeOf(aReview(), { budget }) },
    },
    answers: { [`POST runs/${RUN}/budget`]: { max_tokens: 250_000, max_usd: 2.5 } },
    async act(person) {
      await press('Budget…')(person);
      await person.look('dialog');
      await fill(person, { 'dialog [name=max_tokens]': '50000', 'dialog [name=max_usd]': '0.5' });
      await press('Add')(person);
    },
    look: 'dialog',
  },
  'budget-of-turns': {
    scene: {
      ...sceneOf('run-succeeded'),
      answers: {
        ...sceneOf('run-succeeded').answers,
        [`runs/${RUN}/tree`]: treeOf(aReview(), { budget: { max_turns: 3 } }),
      },
    },
    act: press('Budget…'),
    look: 'dialog',
  },
  fork: {
    scene: sceneOf('run-succeeded'),
    answers: { [`POST runs/${RUN}/fork`]: { ...anOverview('review'), run_id: 'review-19ce1f3a2b7c41-f1' } },
    act: (person) => person.locator('.actions [title]').first().click(),
    look: '.actions',
  },
  'fork-from': over(
    'dialog-fork',
    { [`POST runs/${RUN}/fork`]: listed(anOverview('review')) },
    async (person) => {
      await fill(person, { 'dialog textarea': 'Begin anew', 'dialog input': ' openai/gpt-6 ' });
      await person.look('dialog');
      await person.locator('dialog [type=submit]').first().click();
    },
    'dialog',
  ),
  'fork-unchanged': over(
    'dialog-fork',
    { [`POST runs/${RUN}/fork`]: REFUSED },
    (person) => person.locator('dialog [type=submit]').first().click(),
    'dialog',
  ),
  compare: {
    scene: sceneOf('run-succeeded'),
    answers: {
      'runs?agent': listOf(
        listed(anOverview('review')),
        listed(anOverview('review', { run_id: 'review-1', task: '' })),
        listed(
          anOverview('review', { run_id: 'review-2', forked_from: { root: RUN, run_id: RUN, turn: 2 } }),
        ),
      ),
    },
    act: press('Compare…'),
    look: 'dialog',
  },
  'compare-with-nothing': {
    scene: sceneOf('run-succeeded'),
    answers: { 'runs?agent': listOf(listed(anOverview('review'))) },
    act: press('Compare…'),
    look: 'dialog',
  },
  'filter-runs': {
    scene: sceneOf('runs-many'),
    async act(person) {
      await fill(person, { '.runs-words input': 'refund' });
      await person.pass(300);
      await fill(person, { 'label:nth-of-type(2) select': 'tests', 'label:nth-of-type(3) select': 'failed' });
      await fill(person, { 'label:nth-of-type(4) select': '7d', '.runs-tag': 'team=red' });
      await person.locator('.runs-tag').first().press('Enter');
      await person.look('.runs > :not(ol)');
      await press('Save this filter')(person);
      await person.look('.runs-saved');
      await fill(person, { '.runs-saved input': 'Red ones' });
      await person.locator('.runs-saved [type=submit]').first().click();
      await person.look('.runs-saved');
      await press('team=red')(person);
      await press('Clear')(person);
    },
    look: '.runs > :not(ol)',
  },
  'filters-of-before': {
    scene: { ...sceneOf('runs-saved-filters'), at: '#/runs?status=odd&version=0f3a&tag=a%3Db' },
    async act(person) {
      await person.look('.runs > :not(ol)');
      await press('version: 0f3a')(person);
      await person.locator('.runs-saved a').first().click();
      await person.look('.runs > :not(ol)');
      await person.locator('.runs-saved button').first().click();
    },
    look: '.runs > :not(ol)',
  },
  'older-runs': {
    scene: sceneOf('runs-many'),
    answers: { 'runs?after=older': listOf(listed(anOverview('older', { run_id: 'older-1' }))) },
    act: press('Show older runs'),
    look: '.runs li:last-of-type, .runs > button',
  },
  'keys-of-the-page': {
    scene: sceneOf('runs-many'),
    answers: { evals: EVALS, servers: SERVERS, costs: COSTS },
    async act(person) {
      for (const key of ['j', 'j', 'k', '/']) {
        await person.keyboard.press(key);
        await person.look('main *:focus .runs-what strong, main input:focus');
      }
      await person.keyboard.press('Escape');
      await keys('g', 'e')(person);
      await person.look('main h1');
      await keys('g', 'x', 'a')(person);
      await person.look('main h1');
      await keys('g', 'h')(person);
      await person.look('main h1');
      await keys('g')(person);
      await person.pass(1_500);
      await keys('s')(person);
      await person.look('main h1');
      await keys('g', 's')(person);
      await person.look('main h1');
      await keys('g', 'q')(person);
      await person.look('dialog h2');
      await press('Close')(person);
      await keys('n')(person);
    },
    look: 'dialog h2',
  },
  'find-and-go': {
    scene: sceneOf('frame-palette'),
    answers: { ...sceneOf('agent-whole').answers, 'agents/tests': { status: 404, detail: 'it is gone' } },
    async act(person) {
      const finding = async (key: string) => person.locator('dialog input').first().press(key);
      await keys('Control+k')(person);
      await finding('ArrowUp');
      await person.look('dialog input');
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await finding(key);
      await person.look('dialog input');
      await fill(person, { 'dialog input': 'tests' });
      await person.pass(300);
      await person.look('dialog');
      await finding('Enter');
    },
    look: 'dialog, main h1',
  },
  'keys-of-the-tree': {
    scene: sceneOf('run-succeeded'),
    async act(person) {
      const moves = [
        'ArrowDown',
        'ArrowLeft',
        'ArrowRight',
        'ArrowRight',
        'ArrowLeft',
        'End',
        'j',
        'k',
        'Home',
      ];
      for (const key of [...moves, 'ArrowUp', 'PageDown', 'ArrowLeft', 'PageUp', 'x', 'Enter']) {
        await person.locator('[role=tree]').first().press(key);
        await person.look('.row.active strong, .row[aria-expanded=false] strong');
      }
      await press('Next failure')(person);
      await person.look('.detail h2');
      await fill(person, { '.tools input': 'dependencies' });
      await person.look('.tools');
      await person.locator('.tools input').first().press('Enter');
      await person.look('.detail h2');
      await press('Fold all')(person);
      await person.look('.tools, [role=treeitem] strong');
      await press('Unfold all')(person);
    },
    look: '.tools, [role=treeitem] strong',
  },
  servers: servers(press('Connect'), { 'POST servers/s1/connect': REFUSED }),
  'server-left': servers(press('Disconnect'), { 'POST servers/s2/disconnect': { id: 's2' } }),
  'server-kept': servers(press('Disconnect'), { 'POST servers/s2/disconnect': REFUSED }),
  'server-come-back': servers(
    async () => {},
    { 'POST servers/callback': REFUSED },
    '#/servers?state=s&code=c',
  ),
  'server-connected': servers(
    async () => {},
    { 'POST servers/callback': { id: 's1' } },
    '#/servers?state=s&code=c',
  ),
  'no-servers': servers(async () => {}, { servers: { servers: [] } }),
  evaluations: {
    scene: { at: '#/evals', answers: aPlace({ evals: EVALS }), until: 'Evaluations' },
    act: async () => {},
    look: 'main',
  },
  'no-evaluations': {
    scene: { at: '#/evals', answers: aPlace({ evals: { evals: [] } }), until: 'Evaluations' },
    act: async () => {},
    look: 'main',
  },
  'token-given': {
    scene: sceneOf('frame-token'),
    async act(person) {
      await fill(person, { '[name=token]': ' secret ' });
      await press('Continue')(person);
    },
    look: 'main',
  },
  'calls-opened': {
    scene: sceneOf('run-succeeded'),
    async act(person) {
      await press('Show its conversation here')(person);
      await person.look('.child');
      for (const number of [0, 2]) await person.locator('.message .plain').nth(number).click();
      await person.look('.message.user');
      await press('Copy task')(person);
      await person.look('.message.user');
      await person.pass(2_000);
    },
    look: '.message.user',
  },
  'long-results': {
    scene: {
      at: `#/runs/${RUN}/t1c1`,
      answers: aRun([anOverview('review')], longSaid, {
        [`runs/${RUN}/messages?turn=1`]: longSaid,
      }),
      until: 'I read it',
    },
    async act(person) {
      await person.look('.call');
      await press('Show all')(person);
      await person.look('.call');
      await press('Raw')(person);
    },
    look: '.call',
  },
  'marked-as-seen': {
    scene: sceneOf('home-busy'),
    act: press('Mark'),
    look: '.home-column > section:nth-child(2) > *:first-child',
  },
  'started-from-a-card': {
    scene: sceneOf('home-busy'),
    act: press('Start tests'),
    look: '.home-right select, dialog select',
  },
  'asked-of-nobody': {
    scene: {
      ...sceneOf('home-quiet'),
      answers: { ...sceneOf('home-quiet').answers, questions: questionsOf(aQuestion({ choices: [] })) },
    },
    act: async () => {},
    look: '.question',
  },
  'an-unknown-turn': {
    scene: { ...sceneOf('run-succeeded'), at: `#/runs/${RUN}/t9`, answers: aRun(aReview(), reviewed) },
    act: async () => {},
    look: '.conversation > *:first-child, .turns > [aria-current=location]',
  },
};

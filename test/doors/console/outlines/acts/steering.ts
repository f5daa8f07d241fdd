import { anOverview, below, listed, listOf, treeOf, said } from '../../pictures/answers.ts';
import { aReview, aRun } from '../../pictures/scenes/run.ts';
import { type Act, RUN, sceneOf, press, over, fill, REFUSED } from './act.ts';

const budget = { max_tokens: 200_000, max_usd: 2, max_turns: 40, max_tool_calls: 100 };

const child = below(anOverview('review'), 'security', 1);

export const STEERING: Record<string, Act> = {
  'start-a-run': {
    scene: sceneOf('frame-start'),
    answers: {
      'POST agents/tests/runs': listed(anOverview('tests')),
      ...aRun([anOverview('tests')], said([])),
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
  'start-with-files': {
    scene: sceneOf('frame-start'),
    async act(person) {
      await press('Start a run')(person);
      const drag = async (type: string, files?: File[]) => {
        const dataTransfer = { types: [files === undefined ? 'text/plain' : 'Files'], files };
        const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), { dataTransfer });
        const isTaken = document.querySelector('dialog form')?.dispatchEvent(event) === false;
        await person.pass(0);
        await person.look('.file-drop');
        return isTaken;
      };
      const files = [new File(['No.'], 'notes.md'), new File([new Uint8Array(4)], 'program')];
      const taken = [
        await drag('dragover'),
        await drag('drop'),
        await drag('dragover', files),
        await drag('dragleave'),
        await drag('dragover', files),
        await drag('drop', files),
      ];
      if (taken.join() !== 'false,false,true,false,true,true') throw new Error(`it took ${taken.join()}`);
      await press('Leave out notes.md')(person);
    },
    look: '.file-drop',
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
  'compare-forks-of-others': {
    scene: sceneOf('compare-two'),
    answers: {
      [`runs/${RUN}`]: listed(
        anOverview('review', { forked_from: { root: 'review-9', run_id: 'review-9', turn: 1 } }),
      ),
    },
    act: async () => {},
    look: 'section.card[aria-label^=Run]',
  },
  'compare-with-nothing': {
    scene: sceneOf('run-succeeded'),
    answers: { 'runs?agent': listOf(listed(anOverview('review'))) },
    act: press('Compare…'),
    look: 'dialog',
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
  'limits-near': {
    scene: {
      ...sceneOf('home-quiet'),
      answers: {
        ...sceneOf('home-quiet').answers,
        costs: {
          rows: [],
          next: null,
          limits: [0.79, 0.8, 1].map((part, index) => ({
            key: `k${index}`,
            of: ['all', 'you', 'anna'][index],
            limit_usd: 10,
            used_usd: part * 10,
          })),
        },
      },
    },
    act: async () => {},
    look: '.home-limit',
  },
};

import {
  ago,
  anOverview,
  answers,
  asks,
  below,
  call,
  questionsOf,
  result,
  results,
  said,
} from '../../pictures/answers.ts';
import { REFUND } from '../../pictures/scenes/dialogs.ts';
import { aReview, aRun, reviewed } from '../../pictures/scenes/run.ts';
import { type Act, RUN, sceneOf, press, OPEN, fill } from './act.ts';

const WAITS = [
  { for: 'model', since: ago(0) },
  { for: 'tool', since: ago(60), tool: 'run_command', subject: 'npm test' },
  { for: 'messages', since: ago(120), from: ['review', 'tests'] },
  { for: 'person', since: ago(180), question_id: 't1c1', question: 'May it?' },
  { for: 'person', since: ago(240), question_id: 't1c2', question: 'May it?', tool: 'edit_file' },
] as const satisfies NonNullable<ReturnType<typeof anOverview>['waits_for']>;

const longSaid = said([
  asks('Read it'),
  answers(1, 'I read it.', call('a', 'read_file', { path: 'a.md' })),
  results(result('a', 'read_file', 'line\n'.repeat(40), { characters: 1_000 })),
]);

const HASH = 'a'.repeat(64);

const TURN = {
  number: 2,
  finished_at: ago(480),
  duration_ms: 23_000,
  input_tokens: 8_000,
  output_tokens: 310,
  usd: null,
  cache_read_tokens: 2_000,
  cache_write_tokens: 0,
};

/** A conversation with all that may be beside its texts. */
const rich = said(
  [
    { role: 'assistant', text: 'Inherited', calls: [] },
    {
      role: 'user',
      text: 'Look at these',
      attachments: [
        { hash: HASH, type: 'image/png', bytes: 2_048, width: 40, height: 30 },
        { hash: 'b'.repeat(64), type: 'application/pdf', bytes: 1_000_000, pages: 12 },
      ],
    },
    {
      ...answers(
        2,
        'Seen.',
        call('a', 'mail_send', { to: 'x' }, { hooks: hooksOf('t2c1', 'mail_send') }),
        call('b', 'odd', {}, { characters: 9_000 }),
      ),
      hooks: hooksOf('t2c0'),
      turn: { ...TURN, sources: [{ title: 'Notes', url: 'https://a.example/n' }] },
    },
    results(
      result('a', 'mail_send', 'sent', { attachments: [{ hash: HASH, type: 'image/jpeg', bytes: 10 }] }),
      result('b', 'odd', 'Error: no', { is_error: true, failure: 'timeout', characters: 200_000 }),
    ),
    { role: 'user', text: 'And now?', characters: 5_000 },
    answers(5, '', call('c', 'fetch_url', { url: 'https://b.example' })),
  ],
  {
    turns: 5,
    system: 'x',
    system_characters: 150_000,
    settings: {
      model: 'a/b',
      max_tokens: 10,
      tools: [],
      reasoning_effort: 'high',
      mode: 'ask',
      skill: 'reviewing',
    },
    captured: [
      { text: 'for a fork', at: ago(10) },
      { text: 'taken', at: ago(20), fork: 'review-1' },
      { text: 'not wanted', at: ago(30), cancelled: true, characters: 4_000 },
    ],
  },
);

function hooksOf(id: string, tool?: string) {
  const decisions = ['allow', 'deny', 'replace', 'ask'] as const;
  return decisions.map((decision, index) => ({
    run_id: RUN,
    agent: 'review',
    call: id,
    ...(tool !== undefined && { tool }),
    hook: `check-${decision}`,
    on: index % 2 === 0 ? ('before_call' as const) : ('after_call' as const),
    decision,
    ...(index > 0 && { reason: 'because' }),
    ...(index === 3 && { fault: 'it broke' }),
    at: ago(40),
  }));
}

export const READING: Record<string, Act> = {
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
  'all-of-a-conversation': {
    scene: {
      at: `#/runs/${RUN}`,
      answers: aRun([anOverview('review', { turns: 5, status: 'idle' })], rich, {
        [`runs/${RUN}/messages?from`]: rich,
        [`runs/${RUN}/attachments/${HASH}`]: {},
        questions: questionsOf({ ...REFUND, question_id: 't5c1' }),
      }),
      until: 'Seen.',
    },
    async act(person) {
      await person.look('.conversation');
      for (const number of [0, 1, 2]) await person.locator('.call summary').nth(number).click();
      await person.look('.call');
      await press('Show more of')(person);
    },
    look: '.gap',
  },
  'waits-of-every-kind': {
    scene: {
      at: `#/runs/${RUN}`,
      answers: aRun(
        [
          anOverview('review', { ...OPEN, waits_for: [{ for: 'agents', since: ago(30) }] }),
          ...WAITS.map((wait, index) =>
            below(anOverview('review'), wait.for, index + 1, {
              ...OPEN,
              name: `the ${wait.for}`,
              retries: index,
              failed_calls: index,
              waits_for: [wait],
            }),
          ),
          below(anOverview('review'), 'refused', 5, { incomplete: 'refusal' }),
          below(anOverview('review'), 'blocked', 6, { incomplete: 'guardrail' }),
          below(anOverview('review'), 'gone', 7, {
            status: 'stopped',
            killed: true,
            stopped_by: 'anna@example.com',
          }),
          below(anOverview('review'), 'asleep', 8, { status: 'idle', ended_at: null }),
        ],
        said([asks('x')]),
      ),
      until: 'x',
    },
    act: async () => {},
    look: '.summary, .row, .waterfall',
  },
  'arguments-cut': {
    scene: {
      at: `#/runs/${RUN}`,
      answers: aRun(
        [anOverview('review')],
        said([
          asks('x'),
          answers(1, '', call('a', 'odd', { path: 'a', list: [1, { b: 2 }] }, { characters: 9_000 })),
        ]),
        {
          [`runs/${RUN}/messages?from_turn=1&to_turn=1`]: said([
            asks('x'),
            answers(1, '', call('a', 'odd', { path: 'whole', list: ['whole'] })),
          ]),
        },
      ),
      until: 'x',
    },
    async act(person) {
      await person.locator('.call summary').first().click();
      await person.look('.call');
      await press('Cut here')(person);
    },
    look: '.call',
  },
  ...Object.fromEntries(
    ['/large.json', 'https://elsewhere.example/large.json'].map((url, index) => [
      `a-conversation-of-its-own-${index + 1}`,
      {
        scene: {
          at: `#/runs/${RUN}`,
          answers: aRun([anOverview('review')], said([]), {
            [`runs/${RUN}/messages`]: { conversation_link: { url, bytes: 9_000_000 } },
            'large.json': said([asks('what was too large'), answers(1, 'It is.')]),
          }),
          until: '',
        },
        act: async () => {},
        look: '.detail .problem, .conversation',
      },
    ]),
  ),
  'writing-goes-on': {
    scene: sceneOf('run-writing'),
    answers: {
      [`runs/${RUN}/writing/events`]: [
        { turn: 2, offset: 0, text: 'It is so' },
        { turn: 2, offset: 6, text: 'not so' },
        { turn: 2, offset: 12, text: ' at all' },
      ],
    },
    act: async () => {},
    look: '.conversation .writing, .conversation [aria-busy]',
  },
  'time-goes-by': {
    scene: sceneOf('run-thinking'),
    async act(person) {
      const times = '.row .figure.time, .waterfall path, .summary';
      await person.look(times);
      for (const milliseconds of [999, 1, 1_000, 60_000]) {
        await person.pass(milliseconds);
        await person.look(times);
      }
      await person.move('body', ['visibilitychange']);
    },
    look: '.detail h2',
  },
  'seen-again': {
    scene: sceneOf('run-succeeded'),
    act: async (person) => person.move('body', ['visibilitychange']),
    look: '.detail h2',
  },
  'an-unknown-turn': {
    scene: { ...sceneOf('run-succeeded'), at: `#/runs/${RUN}/t9`, answers: aRun(aReview(), reviewed) },
    act: async () => {},
    look: '.conversation > *:first-child, .turns > [aria-current=location]',
  },
  'folds-of-the-tree': {
    scene: sceneOf('run-succeeded'),
    async act(person) {
      const twisty = person.locator('.row .twisty');
      for (const each of [twisty.nth(1), twisty.nth(2), twisty.first(), twisty.first()]) {
        await each.click();
        await person.look('.row .line:first-child, .row[aria-selected=true] strong');
      }
    },
    look: '.detail h2',
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
  // Where figures find room, where times do, and where neither does.
  ...Object.fromEntries(
    [650, 640, 639].map((width) => [
      `tree-of-${width}-pixels`,
      {
        scene: sceneOf('run-succeeded'),
        width,
        act: async () => {},
        look: '.tree:not(.with-figures), .with-figures > .heads',
      },
    ]),
  ),
  'a-long-tree': {
    scene: {
      at: `#/runs/${RUN}`,
      answers: aRun(
        [
          anOverview('review'),
          ...Array.from({ length: 60 }, (_, index) => below(anOverview('review'), `a${index}`, index + 1)),
        ],
        said([asks('x')]),
      ),
      until: 'x',
    },
    async act(person) {
      const tree = '[role=tree]';
      for (const to of [0, 1_000]) {
        await person.scroll(tree, to);
        await person.look('.row strong');
      }
      for (const key of ['PageDown', 'End', 'PageUp', 'ArrowUp', 'PageUp', 'Home']) {
        await person.locator(tree).first().press(key);
        await person.look('.row.active strong');
        await person.glance(tree);
        await person.move(tree, ['scroll']);
      }
    },
    look: '.row strong',
  },
};

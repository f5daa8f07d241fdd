import type { SeenPage } from '../seen-page.ts';
import {
  aPlace,
  aQuestion,
  ago,
  anOverview,
  answers,
  asks,
  below,
  call,
  listed,
  questionsOf,
  result,
  results,
  said,
  treeOf,
  type Overview,
} from '../answers.ts';
import type { Scene } from '../draw.ts';
import { HOSTILE, LONG, LONG_WORD, MARKDOWN } from './texts.ts';

type Said = ReturnType<typeof said>;

const TASK = 'Review the change to payments and say what is wrong with it';

/** A run with all that the page asks of it. */
export function aRun(runs: readonly [Overview, ...Overview[]], messages: Said, over: Scene['answers'] = {}) {
  const [{ run_id: id }] = runs;
  return aPlace({
    [`runs/${id}/tree`]: treeOf(runs),
    ...Object.fromEntries(
      runs.flatMap((run) => [
        [`runs/${run.run_id}`, listed(run)],
        [`runs/${run.run_id}/messages`, said([asks(run.task)])],
      ]),
    ),
    [`runs/${id}/messages`]: messages,
    ...over,
  });
}

const NO_TIME = { own: 0, model: 0, tool: 0, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 };

/** What a run is like before it ends. */
const OPEN = { ended_at: null, duration_ms: null };

function atWork(over: Partial<Overview> = {}): Overview {
  const now = over.waits_for?.[0]?.for ?? 'own';
  return anOverview('review', {
    status: 'running',
    ...OPEN,
    started_at: ago(94),
    turns: 1,
    times: { ...NO_TIME, own: 1_000, model: 32_000 },
    spans: [
      ['own', 1_000],
      ['model', 32_000],
      [now, null],
    ],
    ...over,
  });
}

const reviewers = [
  call('a', 'call_agent', { agent: 'security', prompt: 'Look at it from the side of security' }),
  call('b', 'call_agent', { agent: 'tests', prompt: 'Look at it from the side of tests' }),
];

/** A tree of three agents that have answered. */
export function aReview(over: Partial<Overview> = {}): [Overview, Overview, Overview, Overview] {
  const top = anOverview('review', over);
  const security = below(top, 'security', 1);
  return [
    top,
    security,
    below(security, 'dependencies', 1, { ended_at: ago(520), duration_ms: 49_000, retries: 2 }),
    below(top, 'tests', 2, {
      status: 'failed',
      error: 'the provider answered 400: the prompt is too long',
      failed_calls: 1,
    }),
  ];
}

export const reviewed = said([
  asks(TASK),
  answers(
    1,
    'Two reviewers look at it from two sides.',
    ...reviewers.map((each, index) => ({ ...each, run: aReview()[index === 0 ? 1 : 3].run_id })),
  ),
  results(
    result('a', 'call_agent', 'Repeated requests charge a card twice.', { duration_ms: 70_000 }),
    result('b', 'call_agent', 'Error: sub-agent "tests" failed: the prompt is too long', { is_error: true }),
  ),
  answers(
    2,
    '',
    call('c', 'read_file', { path: 'src/payments.ts' }),
    call('d', 'edit_file', {
      path: 'src/payments.ts',
      old_string: '  await charge(card, amount);\n',
      new_string: '  await charge(card, amount, { idempotencyKey });\n',
    }),
  ),
  results(
    result(
      'c',
      'read_file',
      'export async function pay(card: Card, amount: number) {\n  await charge(card, amount);\n}\n',
    ),
    result('d', 'edit_file', 'Edited src/payments.ts'),
  ),
  answers(3, MARKDOWN),
]);

/** Waits for a text of the agent, which a person goes to from the tree where there is room for one of them alone. */
export const reading = (text: string) => async (page: SeenPage) => {
  await page.locator('.run [role=treeitem]').first().waitFor({ state: 'attached' });
  const detail = page.locator('.run > .detail');
  if (!(await detail.isVisible())) await page.getByRole('treeitem').first().click();
  await detail.getByText(text).filter({ visible: true }).first().waitFor();
};

const REVIEW = aReview()[0].run_id;
const at = `#/runs/${REVIEW}`;

function review(over: Partial<Scene> = {}): Scene {
  return { at, answers: aRun(aReview(), reviewed), until: reading('One finding'), height: 1_200, ...over };
}

/** A run that has ended so. */
function ended(over: Partial<Overview>, until: string): Scene {
  const top = anOverview('review', { turns: 1, ...over });
  const messages = said([
    asks(TASK),
    answers(1, 'I read the change first.', call('a', 'read_file', { path: 'src/payments.ts' })),
  ]);
  return { at, answers: aRun([top], messages), until };
}

const approval = aQuestion({
  question_id: 't1c1',
  question: 'May it change src/payments.ts?',
  choices: ['approve', 'deny', 'always'],
  tool: 'edit_file',
  arguments: {
    path: 'src/payments.ts',
    old_string: 'charge(card, amount)',
    new_string: 'charge(card, amount, { key })',
  },
});

const undecided = {
  run_id: REVIEW,
  agent: 'review',
  call: 't1c1',
  tool: 'edit_file',
  decision: null,
  ended_at: null,
} as const;

const waiting = (tool?: string) =>
  atWork({
    waits_for: [
      {
        for: 'person',
        since: ago(61),
        question_id: 't1c1',
        question: 'May it?',
        ...(tool !== undefined && { tool }),
      },
    ],
  });

/** 1,000 agents, of which many are at work. */
function crowd(): [Overview, ...Overview[]] {
  const top = atWork({ started_at: ago(420), waits_for: [{ for: 'agents', since: ago(400) }] });
  const all: [Overview, ...Overview[]] = [top];
  for (let index = 1; index < 1_000; index++) {
    const isChild = index <= 9;
    const parent = isChild ? top : all[1 + (index % 9)];
    if (parent === undefined) continue;
    const isOpen = index % 3 === 0;
    all.push({
      ...below(parent, ['coder', 'tester', 'reviewer'][index % 3] ?? 'coder', index),
      run_id: `worker${index}-19ce1f3a2b7c41`,
      started_at: ago(410 - (index % 200)),
      ...(isOpen
        ? {
            ...OPEN,
            status: 'running' as const,
            spans: [['model', null]],
            waits_for: [{ for: 'model' as const, since: ago(30) }],
          }
        : { ended_at: ago(330 - (index % 200)) }),
      ...(index % 97 === 1 && { status: 'failed' as const, error: 'the provider answered 529: overloaded' }),
    });
  }
  return all;
}

const nested = aReview({ task: HOSTILE.replaceAll('\n', ' '), error: HOSTILE.slice(0, 300) });

export const RUN: Record<string, Scene> = {
  'run-tree': review({ until: (page) => page.getByText('dependencies').first().waitFor() }),
  'run-succeeded': review(),
  'run-at-a-call': review({ at: `${at}/t2c2`, until: reading('Edited src/payments.ts') }),
  'run-below': review({
    at: `${at}/agents/${aReview()[3].run_id}`,
    until: reading('the prompt is too long'),
  }),
  'run-turn-opened': review({
    act: async (page) => {
      // The one that failed is open already.
      for (const number of [0, 2, 3]) await page.locator('.turns .call summary').nth(number).click();
    },
  }),
  'run-writing': {
    at,
    answers: aRun(
      [
        atWork({ waits_for: [{ for: 'model', since: ago(12) }] }),
        below(atWork(), 'security', 1, { started_at: ago(80), ended_at: ago(20), duration_ms: 60_000 }),
      ],
      said([
        asks(TASK),
        answers(1, 'A reviewer looks at it.', ...reviewers.slice(0, 1)),
        results(result('a', 'call_agent', 'Twice.')),
      ]),
      {
        [`runs/${REVIEW}/writing/events`]: {
          turn: 2,
          offset: 0,
          text: MARKDOWN.slice(0, 420),
        },
      },
    ),
    until: reading('is writing'),
  },
  'run-thinking': {
    at,
    answers: aRun([atWork({ turns: 0, waits_for: [{ for: 'model', since: ago(12) }] })], said([asks(TASK)]), {
      [`runs/${REVIEW}/writing/events`]: {
        turn: 1,
        offset: 0,
        text: '',
        thinking:
          'The amount is passed on as it came. I should see where it is read, and whether a repeated request',
      },
    }),
    until: 'is thinking',
  },
  'run-waits-for-approval': {
    at,
    answers: aRun(
      [waiting('edit_file')],
      said([
        asks(TASK),
        answers(
          1,
          'This line charges twice.',
          call('a', 'edit_file', approval.arguments ?? {}, { approval: undecided }),
        ),
      ]),
      { questions: questionsOf(approval), [`runs/${REVIEW}/questions/t1c1`]: approval },
    ),
    until: 'review wants to use edit_file',
  },
  'run-waits-for-an-answer': {
    at,
    answers: aRun(
      [waiting()],
      said([asks(TASK), answers(1, '', call('a', 'ask_user', { question: aQuestion().question }))]),
      { questions: questionsOf(aQuestion({ question_id: 't1c1' })) },
    ),
    until: 'review asks',
  },
  'run-failed': ended(
    { status: 'failed', error: 'the provider answered 401: the key is not valid. Set ANTHROPIC_API_KEY' },
    'the key is not valid',
  ),
  'run-timed-out': ended({ status: 'timed_out', error: 'it took longer than 600 s' }, 'timed out'),
  'run-stopped': ended({ status: 'stopped', stopped_by: 'anna@example.com', way_on: 'resume' }, 'stopped by'),
  'run-killed': ended({ status: 'stopped', killed: true, stopped_by: 'the API', way_on: 'gone' }, 'killed'),
  'run-interrupted': ended({ status: 'interrupted', error: 'its process is gone' }, 'interrupted'),
  'run-over-budget': ended(
    { status: 'budget_exceeded', error: 'its budget of 200,000 tokens is spent' },
    'budget exceeded',
  ),
  'run-idle': ended({ status: 'idle' }, 'idle'),
  'run-cut-answer': ended({ incomplete: 'max_tokens' }, 'cut at its limit'),
  'run-changed-arguments': {
    at,
    answers: aRun(
      [anOverview('review')],
      said([
        asks(TASK),
        answers(
          1,
          'The old file is not needed any more.',
          call(
            'a',
            'run_command',
            { command: 'rm -rf build', timeout: 60 },
            {
              approval: {
                ...undecided,
                tool: 'run_command',
                decision: 'approve',
                by: 'anna@example.com',
                arguments: { command: 'rm build/payments.js', timeout: 60, dry_run: true },
                ended_at: ago(300),
              },
            },
          ),
          call(
            'b',
            'run_command',
            { command: 'git push --force' },
            {
              approval: {
                ...undecided,
                call: 't1c2',
                tool: 'run_command',
                decision: 'deny',
                reason: 'never with force',
                ended_at: ago(290),
              },
            },
          ),
        ),
        results(
          result('a', 'run_command', ''),
          result('b', 'run_command', 'Error: denied: never with force', {
            is_error: true,
            failure: 'permission_denied',
          }),
        ),
        answers(2, 'The file is gone; nothing was pushed.'),
      ]),
    ),
    until: 'nothing was pushed',
    act: (page) => page.getByText('rm -rf build').first().click(),
  },
  'run-of-1000-agents': {
    at,
    answers: aRun(crowd(), said([asks(TASK), answers(1, 'All of them work.')])),
    until: reading('All of them work.'),
    isInSight: true,
  },
  'run-long-texts': {
    at,
    answers: aRun(
      [anOverview('review', { task: 'Write down each step. '.repeat(40).trim() })],
      said([
        asks('Write down each step. '.repeat(200)),
        answers(1, LONG, call('a', 'read_file', { path: `${'very/long/folder/'.repeat(12)}name.ts` })),
        results(result('a', 'read_file', `${'0123456789 '.repeat(40)}\n`.repeat(80))),
        answers(2, LONG),
      ]),
    ),
    until: reading('Step 1'),
    height: 1_200,
  },
  'run-hostile-texts': {
    at,
    answers: aRun(
      nested,
      said([
        asks(HOSTILE),
        answers(1, HOSTILE, call('a', 'run_command', { command: HOSTILE })),
        results(result('a', 'run_command', HOSTILE)),
        answers(2, LONG_WORD.slice(0, 20_000), call('b', 'read_file', { path: LONG_WORD })),
        results(result('b', 'read_file', LONG_WORD.slice(0, 20_000), { characters: 1_000_000 })),
      ]),
    ),
    until: reading('alert(1)'),
    height: 1_200,
  },
  'run-unpriced-fork': {
    at,
    answers: aRun(
      [
        anOverview('review', {
          usd: null,
          forked_from: { root: 'review-19ce1f3a2b7c40', run_id: 'review-19ce1f3a2b7c40', turn: 2 },
          tags: { ticket: 'PAY-114', team: 'checkout' },
        }),
      ],
      said([asks(TASK), answers(1, 'Forked and free.')]),
    ),
    until: 'Forked and free.',
  },
  'run-no-such-agent': review({
    at: `${at}/agents/nobody-19ce1f3a2b7c41`,
    until: reading('There is no agent'),
  }),
  'run-not-found': {
    at: '#/runs/review-19ce1f3a2b7c49',
    answers: aPlace({
      'runs/review-19ce1f3a2b7c49/tree': { status: 404, detail: 'there is no run review-19ce1f3a2b7c49' },
    }),
    until: 'there is no run',
  },
  'run-loading': review({
    answers: aPlace({ [`runs/${REVIEW}/tree`]: 'never' }),
    until: (page) => page.locator('.run').waitFor(),
  }),
  'run-conversation-loading': review({
    answers: aRun(aReview(), reviewed, { [`runs/${REVIEW}/messages`]: 'never' }),
    until: reading('Reading…'),
  }),
  'run-offline': {
    at,
    answers: aRun([atWork()], said([asks(TASK), answers(1, 'The first turn is there.')]), {
      [`runs/${REVIEW}/tree/events`]: 'lost',
      [`runs/${REVIEW}/writing/events`]: 'lost',
      questions: 'lost',
    }),
    until: 'The first turn is there.',
    // Once all that was asked first is there, each request is lost, and nothing takes the notice away again.
    act: (page) => page.getByText('What you see may be old').waitFor(),
  },
};

import * as v from 'valibot';
import { Costs } from '../../../../../src/doors/api/answers.ts';
import {
  aPlace,
  aQuestion,
  ago,
  agentsOf,
  anAgent,
  anOverview,
  listed,
  listOf,
  NOW,
  questionsOf,
  type Overview,
} from '../answers.ts';
import type { Reply, Scene } from '../draw.ts';

const AGENTS = ['review', 'security', 'tests', 'release', 'triage', 'digest', 'translate', 'import'];

/** What agents came to on each of the last days. */
function costsOf(agents: readonly string[]) {
  const rows = agents.flatMap((agent, number) =>
    Array.from({ length: 14 }, (_, day) => {
      const runs = (day * (number + 3) * 7) % (29 - 3 * number);
      const failed = day % 5 === 0 ? Math.min(2, runs) : 0;
      return {
        day: new Date(NOW - day * 86_400_000).toISOString().slice(0, 10),
        agent,
        runs,
        trees: runs,
        succeeded: runs - failed,
        failed,
        tokens: runs * 21_000,
        usd: runs * 0.0782 * (1 + number / 3),
      };
    }),
  );
  return v.parse(Costs, { rows, next: null, limits: [] });
}

function line(number: number, over: Partial<Overview> = {}) {
  const agent = AGENTS[number % AGENTS.length] ?? '';
  return listed(anOverview(agent, { run_id: `${agent}-19ce1f3a2b7c${number + 10}`, ...over }));
}

const OPEN = { status: 'running', ended_at: null, duration_ms: null } as const;
const open = [1, 2, 3, 4].map((number) => line(number, { ...OPEN, started_at: ago(60 * number) }));
const failed = [
  line(0, {
    status: 'failed',
    error: 'the provider answered 401: the key is not valid. Set ANTHROPIC_API_KEY',
  }),
  line(5, { status: 'timed_out', error: 'it took longer than 600 s' }),
];

const agents = agentsOf(
  ...AGENTS.map((name, number) =>
    anAgent(name, {
      ...(number === 5 && {
        schedule: {
          expression: 'cron(0 6 * * ? *)',
          timezone: 'Europe/Berlin',
          enabled: true,
          next: ago(-66_960),
        },
      }),
    }),
  ),
);

const approval = aQuestion({
  question_id: 't3c1',
  question: 'May it change src/payments.ts?',
  choices: ['approve', 'deny', 'always'],
  tool: 'edit_file',
  arguments: { path: 'src/payments.ts', old_string: 'amount: number', new_string: 'cents: bigint' },
});

const busy = {
  agents,
  'runs?limit': listOf(...open, ...failed, ...AGENTS.map((_, number) => line(number + 8))),
  'runs?status=running': listOf(...open),
  'runs?status=failed': listOf(...failed.slice(0, 1)),
  'runs?status=timed_out': listOf(...failed.slice(1)),
  'runs?status=interrupted': listOf(),
  costs: costsOf(AGENTS),
  questions: questionsOf(aQuestion(), approval),
};

/** The lists of runs that went wrong. */
const failures = (reply: Reply) =>
  Object.fromEntries(
    ['failed', 'timed_out', 'interrupted'].map((status) => [`runs?status=${status}`, reply]),
  );

const home = (answers: Scene['answers'], until: Scene['until'] = 'At work now'): Scene => ({
  at: '#/',
  answers: aPlace({ ...busy, ...answers }),
  until,
});

const broken = { status: 500, detail: 'the store cannot be read: /srv/cadre is full' };

export const HOME: Record<string, Scene> = {
  'home-busy': home({}),
  'home-quiet': home({
    'runs?status=running': listOf(),
    ...failures(listOf()),
    questions: questionsOf(),
    costs: { rows: [], next: null, limits: [] },
  }),
  'home-empty': home(
    {
      runs: listOf(),
      'runs?': listOf(),
      'runs?limit': listOf(),
      agents: agentsOf(...['digest', 'facts', 'risks', 'actions'].map((name) => anAgent(name))),
      questions: questionsOf(),
    },
    'Nothing has run here yet',
  ),
  'home-loading': home({
    agents: 'never',
    'runs?limit': 'never',
    'runs?status=running': 'never',
    ...failures('never'),
    costs: 'never',
    questions: 'never',
  }),
  'home-all-failing': home({
    agents: broken,
    'runs?limit': broken,
    'runs?status=running': broken,
    ...failures(broken),
    costs: broken,
    questions: broken,
  }),
  'home-questions-failing': home({ questions: broken }),
  'home-costs-failing': home({ costs: broken }),
  'home-faults': home({
    agents: {
      ...agentsOf(anAgent('review')),
      faults: [
        {
          agent: 'broken',
          detail: 'agents/broken.toml:3:9: unknown tool "read_fiel"; did you mean "read_file"?',
        },
      ],
    },
  }),
  'home-many-questions': home({
    questions: questionsOf(
      ...['review', 'release', 'triage', 'digest', 'import'].map((agent, number) =>
        aQuestion({ agent, question_id: `t${number + 1}c1` }),
      ),
    ),
  }),
  'home-offline': home({
    agents: 'lost',
    'runs?limit': 'lost',
    'runs?status=running': 'lost',
    ...failures('lost'),
    costs: 'lost',
    questions: 'lost',
  }),
};

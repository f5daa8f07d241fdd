import * as v from 'valibot';
import { ChangeReport } from '../../../../../src/core/reports/change-report.ts';
import {
  aPlace,
  agentsOf,
  ago,
  anAgent,
  anOverview,
  calling,
  detailsOf,
  listed,
  listOf,
} from '../answers.ts';
import type { Scene } from '../draw.ts';
import { HOSTILE, LONG } from './texts.ts';

const review = anAgent('review', {
  description: 'Reviews a change from several sides',
  sub_agents: ['security', 'tests'],
  calls: [...calling('security', 'tests').calls, { agent: 'review', by: 'fork' }],
  tools: [
    { name: 'call_agent', permission: 'allow', writes: true },
    {
      name: 'edit_file',
      permission: 'ask',
      writes: true,
      rules: ['ask edit_file(src/**)', 'deny edit_file(**/*.key)'],
    },
    { name: 'read_file', permission: 'allow', writes: false },
    { name: 'run_command', permission: 'deny', writes: true },
  ],
});

const few = agentsOf(
  review,
  anAgent('security', calling('dependencies')),
  anAgent('tests'),
  anAgent('dependencies', { description: '' }),
  anAgent('digest', {
    schedule: {
      expression: 'cron(0 6 * * ? *)',
      timezone: 'Europe/Berlin',
      enabled: true,
      next: ago(-66_960),
    },
  }),
);

/** 100 agents in eight teams, with ways that lead in circles. */
const many = agentsOf(
  ...Array.from({ length: 100 }, (_, number) => {
    const below = [number * 3 + 1, number * 3 + 2, number * 3 + 3].filter((each) => each < 100);
    const back = number > 40 && number % 13 === 0 ? [Math.floor(number / 9)] : [];
    return anAgent(`agent-${number}`, calling(...[...below, ...back].map((each) => `agent-${each}`)));
  }),
);

const agents = (answers: Scene['answers'], until: Scene['until']): Scene => ({
  at: '#/agents',
  answers: aPlace({ agents: few, ...answers }),
  until,
});

const runs = listOf(
  ...[0, 1, 2, 3, 4, 5].map((number) =>
    listed(
      anOverview('review', {
        run_id: `review-19ce1f3a2b7c5${number}`,
        started_at: ago(600 + number * 40_000),
        status: number === 2 ? 'failed' : 'succeeded',
        version: number < 3 ? '3f9a0c51d2e7' : '77c0a1b2c3d4',
      }),
    ),
  ),
);

const changes = v.parse(ChangeReport, {
  run_id: 'review-19ce1f3a2b7c53',
  agent: 'review',
  opened: 'review-19ce1f3a2b7c53',
  version: '77c0a1b2c3d4',
  version_now: '3f9a0c51d2e7',
  changes: [
    { part: 'model', name: 'model', was: 'anthropic/claude-sonnet-4-5', is: 'anthropic/claude-sonnet-5-5' },
    {
      part: 'prompt',
      name: 'prompt',
      was: 'You review changes.\nBe brief.',
      is: 'You review changes.\nBe brief, and name the line.',
    },
    { part: 'tool', name: 'web_search', was: '{}', is: null },
  ],
});

const whole = {
  'agents/review': detailsOf(review),
  runs,
  costs: {
    rows: [
      { agent: 'review', runs: 212, trees: 180, succeeded: 201, failed: 11, tokens: 4_310_000, usd: 16.58 },
    ],
    next: null,
    limits: [],
  },
  'runs/review-19ce1f3a2b7c53/changes': changes,
};

const agent = (answers: Scene['answers'], until: Scene['until'], more: Partial<Scene> = {}): Scene => ({
  at: '#/agents/review',
  answers: aPlace({ agents: few, ...whole, ...answers }),
  until,
  ...more,
});

export const AGENTS: Record<string, Scene> = {
  'agents-few': agents({}, 'dependencies'),
  'agents-100': { ...agents({ agents: many }, 'agent-99'), isInSight: true },
  'agents-focused': {
    ...agents({}, 'dependencies'),
    act: (page) => page.getByRole('button', { name: 'Focus on security' }).click(),
  },
  'agents-searched': {
    ...agents({}, 'dependencies'),
    act: (page) => page.locator('main input[type=search]').fill('several sides'),
  },
  'agents-empty': agents({ agents: agentsOf() }, 'There is no agent here yet'),
  'agents-faults': agents(
    {
      agents: {
        ...few,
        faults: [
          {
            agent: 'broken',
            detail: 'agents/broken.toml:3:9: unknown tool "read_fiel"; did you mean "read_file"?',
          },
        ],
      },
    },
    'unknown tool',
  ),
  'agents-loading': agents({ agents: 'never' }, (page) => page.locator('main h1').waitFor()),
  'agents-failing': agents(
    { agents: { status: 500, detail: 'the folder agents cannot be read' } },
    'cannot be read',
  ),
  'agent-whole': agent({}, 'You review changes'),
  'agent-changes': agent({}, 'You review changes', {
    act: (page) => page.getByRole('button', { name: 'What has changed since' }).first().click(),
  }),
  'agent-fault': agent(
    {
      'agents/review': detailsOf(review, {
        version: null,
        prompt: null,
        fault: 'agents/review.toml:3:9: there is no skill "reviewing" in skills/',
      }),
    },
    'No run of it would begin now',
  ),
  'agent-in-an-account': agent(
    {
      'agents/review': (({ file: _file, ...rest }) => rest)(
        detailsOf(review, { prompt: LONG, servers: ['jira'], remembers: true }),
      ),
    },
    'Step 1',
  ),
  'agent-hostile': agent(
    {
      'agents/review': detailsOf({ ...review, description: HOSTILE }, { prompt: HOSTILE, file: HOSTILE }),
      runs: listOf(),
    },
    'It has not run yet',
  ),
  'agent-not-found': agent(
    { 'agents/review': { status: 404, detail: 'there is no agent review' } },
    'there is no agent',
  ),
  'agent-loading': agent({ 'agents/review': 'never' }, (page) => page.locator('main h1').waitFor()),
};

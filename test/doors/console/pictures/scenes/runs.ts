import { aPlace, ago, anOverview, listed, listOf } from '../answers.ts';
import type { Scene } from '../draw.ts';
import { HOSTILE } from './texts.ts';

const STATES = [
  ['running', {}],
  ['succeeded', {}],
  ['failed', { error: 'the provider answered 401: the key is not valid. Set ANTHROPIC_API_KEY' }],
  ['timed_out', { error: 'it took longer than 600 s' }],
  ['stopped', {}],
  ['interrupted', {}],
  ['budget_exceeded', { error: 'its budget of 200,000 tokens is spent' }],
  ['idle', {}],
  ['succeeded', { incomplete: 'max_tokens' as const }],
  ['succeeded', { task: HOSTILE.replaceAll('\n', ' ') }],
  ['succeeded', { task: `Look at ${'each and every '.repeat(40)}file`, usd: null }],
  ['succeeded', { task: '', tags: { ticket: 'PAY-114', team: 'checkout' } }],
] as const;

const many = STATES.map(([status, over], index) => {
  const isOpen = status === 'running';
  const top = anOverview(['review', 'release', 'a-nightly-report-of-all-services'][index % 3] ?? '', {
    run_id: `run-19ce1f3a2b7c4${index.toString(16)}`,
    status,
    started_at: ago(70 + index * index * 900),
    ...(isOpen && { ended_at: null, duration_ms: null }),
    ...over,
  });
  const tree = { ...listed(top).tree, runs: [1, 4, 212][index % 3] ?? 1 };
  return listed(top, { tree });
});

const list = (over: Partial<Scene>): Scene => ({
  at: '#/runs',
  answers: aPlace({ runs: { ...listOf(...many), next: 'older' } }),
  until: 'its budget of 200,000 tokens is spent',
  ...over,
});

export const RUNS: Record<string, Scene> = {
  'runs-many': list({}),
  'runs-empty': list({ answers: aPlace({ runs: listOf() }), until: 'There is no run yet' }),
  'runs-loading': list({
    answers: aPlace({ runs: 'never' }),
    until: (page) => page.locator('main h1').waitFor(),
  }),
  'runs-none-found': list({
    at: '#/runs?agent=review&status=failed&text=no+such+words&since=7d',
    answers: aPlace({ runs: listOf() }),
    until: 'There is no such run.',
  }),
  'runs-found-words': list({
    at: '#/runs?text=idempotency+key&tag=team%3Dcheckout',
    answers: aPlace({
      runs: listOf(
        ...many.slice(1, 5).map((run, index) => ({
          ...run,
          found: {
            run_id: index === 0 ? run.run_id : 'security-19ce1f3a2b7c41-t1c1',
            ...(index < 3 && { turn: index + 1 }),
            text: 'Send an idempotency key with each charge: made once, before the first attempt, and kept with the order',
          },
        })),
      ),
    }),
    until: 'turn 3',
  }),
  'runs-saved-filters': list({
    at: '#/runs?status=failed&since=7d',
    kept: {
      local: {
        'cadre-filters': JSON.stringify([
          { name: 'Failed this week', query: '?status=failed&since=7d' },
          { name: 'Checkout', query: '?tag=team%3Dcheckout' },
        ]),
      },
    },
  }),
  'runs-picked': list({
    act: async (page) => {
      for (const number of [1, 3]) await page.getByRole('checkbox').nth(number).click();
    },
  }),
  'runs-failing': list({
    answers: aPlace({ runs: { status: 500, detail: 'the store cannot be read: /srv/cadre is full' } }),
    until: 'the store cannot be read',
  }),
  'runs-offline': list({ answers: aPlace({ runs: 'lost' }), until: 'The server does not answer.' }),
};

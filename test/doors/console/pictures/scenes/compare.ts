import { aPlace, anOverview, answers, asks, call, listed, result, results, said } from '../answers.ts';
import type { Scene } from '../draw.ts';
import { MARKDOWN } from './texts.ts';

const A = 'review-19ce1f3a2b7c41';
const B = 'review-19ce1f3a2b7c42';

const begun = [
  asks('Review the change to payments'),
  answers(1, 'I read it first.', call('a', 'read_file', { path: 'src/payments.ts' })),
  results(result('a', 'read_file', 'export async function pay() {}')),
];

const runs = {
  [`runs/${A}`]: listed(anOverview('review')),
  [`runs/${B}`]: listed(
    anOverview('review', {
      run_id: B,
      model: 'openai/gpt-6',
      usd: 0.0311,
      duration_ms: 61_000,
      turns: 2,
      forked_from: { root: A, run_id: A, turn: 2 },
    }),
  ),
  [`runs/${A}/messages`]: said([
    ...begun,
    answers(2, '', call('b', 'run_command', { command: 'npm test' })),
    results(result('b', 'run_command', '212 passed')),
    answers(3, MARKDOWN),
  ]),
  [`runs/${B}/messages`]: said([
    ...begun,
    answers(2, MARKDOWN.replace('twice', 'three times').slice(0, 900)),
  ]),
};

const compare = (over: Partial<Scene> = {}): Scene => ({
  at: `#/compare/${A}/${B}`,
  answers: aPlace(runs),
  until: 'Turn by turn',
  ...over,
});

const missing = { status: 404, detail: `there is no run ${B}` };

export const COMPARE: Record<string, Scene> = {
  'compare-two': compare(),
  'compare-differences': compare({
    act: (page) => page.getByRole('button', { name: 'Show what is different' }).click(),
  }),
  'compare-one-missing': compare({
    answers: aPlace({ ...runs, [`runs/${B}`]: missing, [`runs/${B}/messages`]: missing }),
    until: 'there is no run',
  }),
  'compare-loading': compare({
    answers: aPlace({ ...runs, [`runs/${B}`]: 'never' }),
    until: (page) => page.locator('main h1').waitFor(),
  }),
};

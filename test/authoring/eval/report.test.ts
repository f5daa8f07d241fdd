import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toReport } from '../../../src/authoring/eval/report.ts';
import type { Comparison, Try } from '../../../src/core/reports/eval-report.ts';
import { summaryText } from '../../../src/doors/cli/eval/eval-text.ts';
import { toJunit } from '../../../src/doors/cli/eval/eval-junit.ts';
import { toHtml } from '../../../src/doors/cli/eval/eval-html.ts';

const OLD = 'agents@1f0e6b2c9a47';
const NEXT = 'agents-next@77c0a1b2c3d4';

const aTry = (other: Partial<Try>): Try => ({
  repeat: 1,
  run_id: 'top-00000000000001',
  status: 'succeeded',
  passed: true,
  cached: false,
  seconds: 1,
  turns: 1,
  usd: 0,
  answer: 'ok',
  grades: [],
  ...other,
});

function report(tries: Partial<Try>[], names = ['current']) {
  const head = { id: 'e-1', startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:09Z', env: 'dev' };
  const evaluation = { agent: 'top', file: 'evals/e.toml', thresholds: { pass: 0 } };
  const played = names.flatMap((variant) => tries.map((one) => ({ variant, case: 'a', try: aTry(one) })));
  return toReport(
    head,
    evaluation,
    names.map((name) => ({ name, agent: 'top', model: undefined })),
    played,
  );
}

test('during a rollout, the tries of each pack of agents are told apart', () => {
  const made = report([
    { repeat: 1, pack: NEXT },
    { repeat: 2, pack: OLD },
    { repeat: 3, pack: OLD, passed: false },
  ]);
  expect(made.variants[0]?.packs).toEqual([
    { pack: NEXT, tries: 1, passed: 1 },
    { pack: OLD, tries: 2, passed: 1 },
  ]);
  expect(summaryText(made)).toContain(
    `\ncurrent: 1 of 1 tries passed with ${NEXT}\ncurrent: 1 of 2 tries passed with ${OLD}\n`,
  );
  expect(toHtml([made], new Map())).toContain(`<p>current: 1 of 2 tries passed with ${OLD}</p>`);
});

test('where there is one pack, nothing is said of it', () => {
  const made = report([{}]);
  expect(made.variants[0]).not.toHaveProperty('packs');
  expect(summaryText(made)).not.toContain('tries passed with');
});

test('the page of an evaluation has its figures in a table', () => {
  const page = toHtml([report([{}, { repeat: 2, passed: false, usd: 0.25 }], ['current', 'a<b'])], new Map());
  const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
  );
  expect(rows).toEqual([
    ['', 'passed (95 %)', 'pass@k', 'pass^k', 'tries', 'cost', '95 % within'],
    ...['current', 'a&lt;b'].map((name) => [
      name,
      '50 % (5.5 % to 94.5 %)',
      '50 %, 100 %',
      '50 %, 0 %',
      '2',
      '$0.25',
      '1.0s',
    ]),
  ]);
  // Nothing else is in it, whatever browsers make of that.
  const [table = ''] = /<table>.*<\/table>/.exec(page) ?? [];
  expect(table.replaceAll(/<t([hd])>.*?<\/t\1>/g, '')).toBe('<table><tr></tr><tr></tr><tr></tr></table>');
});

test('a comparison says by how many points a variant is better or worse, and in which cases', () => {
  const compared = (
    difference: number,
    low: number,
    high: number,
    changed: Comparison['changed'] = [],
  ): Comparison => ({ from: 'current', to: 'terse', difference, low, high, changed });
  const made = {
    ...report([{}]),
    comparisons: [
      compared(0.25, 0.05, 0.45, [{ case: 'a', from: 0.5, to: 1 }]),
      compared(-0.25, -0.45, -0.05, [{ case: 'b', from: 1, to: 0 }]),
      compared(0, -0.1, 0.1),
    ],
  };
  expect(
    summaryText(made)
      .split('\n')
      .filter((line) => /against|^  (fixed|broken)/.test(line)),
  ).toEqual([
    'terse against current: +25.0 points (95 % between +5.0 and +45.0), better',
    '  fixed: a (50 % to 100 %)',
    'terse against current: -25.0 points (95 % between -45.0 and -5.0), worse',
    '  broken: b (100 % to 0 %)',
    'terse against current: +0.0 points (95 % between -10.0 and +10.0), no certain difference',
  ]);
});

test('all that an evaluation has to say is in its text, its page and its XML', async () => {
  const head = { id: 'e-1', startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:09Z', env: 'dev' };
  const thresholds = { pass: 0.9, usd: 0.1, p95_seconds: 2 };
  const evaluation = { agent: 'top', file: 'evals/e.toml', thresholds };
  const variants = ['current', 'next'].map((name) => ({ name, agent: 'top', model: undefined }));
  const good = { grader: 'contains "<ok>"', passed: true };
  const bad = { grader: 'judge', passed: false, score: 2, reason: 'too\nlong', run_id: 'judge-1' };
  const of = (variant: string, name: string, ...tries: Partial<Try>[]) =>
    tries.map((one, index) => ({
      variant,
      case: name,
      try: aTry({ repeat: index + 1, run_id: `top-${name}-${variant}-${index + 1}`, usd: 0.25, ...one }),
    }));
  const made = toReport(head, evaluation, variants, [
    ...of('current', 'first', { grades: [good] }, { cached: true, pack: OLD }),
    ...of(
      'current',
      'second',
      { passed: false, grades: [good, bad], seconds: 3, pack: NEXT },
      { cached: true },
    ),
    ...of('current', 'third', { cached: true }, { cached: true }),
    ...of('next', 'first', { passed: false, error: 'no "key" & <lock>\u0001', status: 'failed' }, {}),
    ...of('next', 'second', {}, { cached: true }),
    ...of(
      'next',
      'third',
      { passed: false, error: 'gone', grades: [bad] },
      { passed: false, error: 'gone', usd: null },
    ),
  ]);
  const unnamed = toReport(
    { ...head, env: undefined },
    { ...evaluation, thresholds: { pass: 0 } },
    variants.slice(0, 1),
    of('current', 'only', { usd: null }),
  );
  const both = [made, unnamed];
  const conversations = new Map([['top-first-next-1', '<p>hello</p>']]);
  const accepted = (name: string) => join(import.meta.dirname, 'accepted', name);
  await expect(both.map((each) => summaryText(each)).join('\n')).toMatchFileSnapshot(accepted('summary.txt'));
  await expect(toHtml(both, conversations)).toMatchFileSnapshot(accepted('page.txt'));
  await expect(toJunit(both)).toMatchFileSnapshot(accepted('junit.txt'));
});

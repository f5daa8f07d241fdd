import { expect, test } from 'vitest';
import { COSTS_BY_TEXT, costRows, parseCostsBy } from '../../../src/core/reports/cost-report.ts';
import { costsByTag } from '../../../src/core/reports/tag-costs.ts';
import type { SpendingSum } from '../../../src/core/records/spending.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';

test('costs are added up by what is asked for', () => {
  expect(COSTS_BY_TEXT).toBe('some of day,agent,model,owner,issuer,version,pack, or tag:<key> alone');
  expect(['day', 'agent,day', 'tag:a', 'tag:a:b', 'tag:', 'day,', 'day,tag:a', ''].map(parseCostsBy)).toEqual(
    [{ by: ['day'] }, { by: ['agent', 'day'] }, { tag: 'a' }, { tag: 'a:b' }, ...Array<undefined>(4)],
  );
});

const sum = (other: Partial<SpendingSum>): SpendingSum => ({
  agent: 'top',
  model: 'm/x',
  runs: 2,
  trees: 1,
  succeeded: 1,
  failed: 1,
  tokens: 10,
  nanoUsd: 1_500_000_000,
  unpriced: 0,
  ...other,
});
const row = { runs: 2, trees: 1, succeeded: 1, failed: 1, tokens: 10, usd: 1.5 };

test('a row has the last day first, and in a day the dearest, and what has no price where there is any', () => {
  const days = [
    { day: '2026-01-01', spendings: [sum({ unpriced: 1 }), sum({ model: 'm/y', nanoUsd: 2_500_000_001 })] },
    { day: '2026-01-02', spendings: [sum({ nanoUsd: 0 }), sum({ owner: 'ada', unpriced: 2 })] },
  ];
  expect(costRows(days, ['day', 'model'])).toEqual([
    { day: '2026-01-02', model: 'm/x', ...doubled, usd: 1.5, unpriced: 2 },
    { day: '2026-01-01', model: 'm/y', ...row, usd: 2.500000001 },
    { day: '2026-01-01', model: 'm/x', ...row, unpriced: 1 },
  ]);
  expect(costRows(days, ['owner'], ({ model }) => model === 'm/x')).toEqual([
    { ...doubled, usd: 1.5, unpriced: 1 },
    { owner: 'ada', ...row, unpriced: 2 },
  ]);
});

const doubled = { runs: 4, trees: 2, succeeded: 2, failed: 2, tokens: 20 };

/** Trees of these days, the newest first, of which each page has two. */
async function byTag(days: string[], most?: number) {
  const asked: unknown[] = [];
  const tops = days.map((day, index) =>
    aRun({
      id: `top-${String(index).padStart(14, '0')}`,
      startedAt: `${day}T12:00:00.000Z`,
      status: index === 0 ? 'failed' : 'idle',
      tags: { customer: index % 2 === 0 ? 'acme' : '' },
    }),
  );
  const records: Parameters<typeof costsByTag>[0] = {
    async listTrees({ limit, since, until, after }) {
      asked.push({ limit, since, until, after });
      const start = tops.findIndex(({ id }) => id === after) + 1;
      const trees = tops.slice(start, start + 2).map((top) => ({ top }));
      const last = trees.at(-1)?.top.id;
      return { trees, ...(start + 2 < tops.length && last !== undefined && { next: last }) };
    },
    isCarriedOut: async () => true,
    tree: async (id) => tops.filter((top) => top.id === id),
    // Of a tree whose end is in no record, they tell what it has cost.
    async turns(id) {
      const index = tops.findIndex((top) => top.id === id);
      const answer = { usage: { inputTokens: 3, outputTokens: 4 } };
      return [aTurn({ answer, ...(index > 0 && { nanoUsd: index * 1e9 }) })];
    },
    callResult: async () => undefined,
    answer: async () => undefined,
    question: async () => undefined,
  };
  const range = { since: '2026-01-01', until: '2026-01-03' };
  return { ...(await costsByTag(records, 'customer', range, () => true, most)), asked };
}

test('costs by a tag count whole trees, page by page, and end between two days where they are too many', async () => {
  const days = ['2026-01-03', '2026-01-03', '2026-01-03', '2026-01-02'];
  const whole = await byTag(days);
  const range = { limit: 50, since: Date.parse('2026-01-01'), until: Date.parse('2026-01-04') };
  expect(whole).toEqual({
    rows: [
      { 'tag:customer': '', runs: 2, trees: 2, succeeded: 2, failed: 0, tokens: 14, usd: 4 },
      { 'tag:customer': 'acme', runs: 2, trees: 2, succeeded: 1, failed: 1, tokens: 14, usd: 2, unpriced: 1 },
    ],
    next: null,
    asked: [
      { ...range, after: undefined },
      { ...range, after: 'top-00000000000001' },
    ],
  });
  const part = await byTag(days, 1);
  expect([part.next, part.rows.map(({ trees }) => trees)]).toEqual(['2026-01-02', [2, 1]]);
  expect((await byTag(days, 4)).next).toBeNull();
});

import * as v from 'valibot';
import { defined } from '../../defined.ts';
import type { SpendingPage } from '../records/listed-trees.ts';
import type { SpendingSum } from '../records/spending.ts';

/** What costs can be added up by. */
export const COSTS_BY = ['day', 'agent', 'model', 'owner', 'issuer', 'version', 'pack'] as const;
export type CostsBy = (typeof COSTS_BY)[number];

/** How costs are grouped: by several of these, or by the values of one tag, each with all of its trees. */
export type AskedCosts = { by: readonly CostsBy[] } | { tag: string };

/** How that is written, for messages. */
export const COSTS_BY_TEXT = `some of ${COSTS_BY.join(',')}, or tag:<key> alone`;

/** `day,agent` or `tag:customer`. @returns undefined if the text is neither */
export function parseCostsBy(text: string): AskedCosts | undefined {
  const [, tag] = /^tag:(.+)$/.exec(text) ?? [];
  if (tag !== undefined) return { tag };
  const by = text.split(',').map((name) => COSTS_BY.find((one) => one === name));
  const known = by.filter((one) => one !== undefined);
  return known.length === by.length ? { by: [...new Set(known)] } : undefined;
}

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * One line of costs, by its group: each run's own, without those below it. For a tag, it has the tag's value under
 * `tag:<key>`, and counts whole trees.
 */
export const CostRow = v.looseObject({
  day: v.exactOptional(v.pipe(v.string(), v.isoDate(), v.description('In UTC, that of the turns.'))),
  agent: v.exactOptional(v.string()),
  model: v.exactOptional(v.string()),
  owner: v.exactOptional(v.string()),
  issuer: v.exactOptional(v.pipe(v.string(), v.description('Of the tokens that name the owner.'))),
  version: v.exactOptional(v.string()),
  pack: v.exactOptional(v.pipe(v.string(), v.description('As in a run.'))),
  runs: v.pipe(Count, v.description('That began then, each counted once; a sub-agent is a run, too.')),
  trees: v.pipe(Count, v.description('Those of them at the top of a tree.')),
  succeeded: v.pipe(Count, v.description('Of the runs.')),
  failed: v.pipe(Count, v.description('Of the runs: failed, or out of time.')),
  tokens: v.pipe(Count, v.description('Read and written.')),
  usd: v.pipe(v.number(), v.description('Dollars, as far as prices are known.')),
  unpriced: v.exactOptional(
    v.pipe(Count, v.description('Runs of whose turns no price is known. Absent: none.')),
  ),
});
export type CostRow = v.InferOutput<typeof CostRow>;

type Spent = Omit<SpendingSum, 'agent' | 'issuer' | 'model' | 'owner' | 'pack' | 'version'>;

/** Costs by group: the last day first, and within a day the dearest first. */
export function costRows(
  days: SpendingPage['days'],
  by: readonly CostsBy[],
  isMeant: (spending: SpendingSum) => boolean = () => true,
): CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const { day, spendings } of days) {
    for (const spending of spendings.filter(isMeant)) {
      const all = { day, ...spending };
      const key = Object.fromEntries(by.flatMap((one) => (all[one] === undefined ? [] : [[one, all[one]]])));
      const name = JSON.stringify(key);
      rows.set(name, plus(rows.get(name) ?? { ...key, ...NOTHING }, spending));
    }
  }
  return [...rows.values()].sort(
    (one, other) => (other.day ?? '').localeCompare(one.day ?? '') || other.usd - one.usd,
  );
}

/** A row that counts nothing yet. */
export const NOTHING = { runs: 0, trees: 0, succeeded: 0, failed: 0, tokens: 0, usd: 0 };

/** A row with this added. */
export function plus(
  row: CostRow,
  { runs, trees, succeeded, failed, tokens, nanoUsd, unpriced }: Spent,
): CostRow {
  const all = (row.unpriced ?? 0) + unpriced;
  return {
    ...row,
    runs: row.runs + runs,
    trees: row.trees + trees,
    succeeded: row.succeeded + succeeded,
    failed: row.failed + failed,
    tokens: row.tokens + tokens,
    usd: (Math.round(row.usd * 1e9) + nanoUsd) / 1e9,
    ...defined({ unpriced: all > 0 ? all : undefined }),
  };
}

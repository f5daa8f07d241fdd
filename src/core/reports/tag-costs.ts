import type { RunReader } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import { dayOf } from '../records/spent.ts';
import { isUnpriced } from '../records/spending.ts';
import { NOTHING, plus, type CostRow } from './cost-report.ts';
import { shownTree, type ShownRun, type ShownTreeReader } from './shown-tree.ts';

/** How many trees are read at once, and for one answer; a day is never divided. */
const AT_ONCE = 50;
const MOST_TREES = 2_000;

type Records = ShownTreeReader & Pick<RunReader, 'listTrees'>;

/**
 * What trees have cost, by the value of a tag that the callers gave them, the dearest first. Each counts whole, on the day
 * on which it began.
 * @param days the first one and the last one, in UTC
 * @param most trees that are enough for one answer
 * @returns `next`: the day to go on with, an earlier one, where so many trees were too much for one answer
 */
export async function costsByTag(
  records: Records,
  tag: string,
  { since, until }: { since: string; until: string },
  isMeant: (top: Run) => boolean,
  most = MOST_TREES,
): Promise<{ rows: CostRow[]; next: string | null }> {
  const rows = new Map<string, CostRow>();
  const range = { since: Date.parse(since), until: Date.parse(until) + DAY_MS };
  let seen = 0;
  let last = '';
  for (let after: string | undefined; ;) {
    const page = await records.listTrees({
      limit: AT_ONCE,
      after,
      ...range,
      accepts: (top) => top.tags?.[tag] !== undefined && isMeant(top),
    });
    const trees = await Promise.all(page.trees.map(({ top }) => shownTree(top, records)));
    for (const [index, { top }] of page.trees.entries()) {
      const day = dayOf(top.startedAt);
      if (seen >= most && day !== last) return { rows: dearestFirst(rows), next: day };
      last = day;
      seen += 1;
      const value = top.tags?.[tag] ?? '';
      rows.set(
        value,
        plus(rows.get(value) ?? { [`tag:${tag}`]: value, ...NOTHING }, spentBy(trees[index] ?? [])),
      );
    }
    if (page.next === undefined) return { rows: dearestFirst(rows), next: null };
    after = page.next;
  }
}

const DAY_MS = 86_400_000;

function spentBy(tree: readonly ShownRun[]) {
  const sum = (amount: (run: ShownRun) => number) => tree.reduce((all, run) => all + amount(run), 0);
  const count = (isCounted: (run: ShownRun) => boolean) => tree.filter(isCounted).length;
  return {
    runs: tree.length,
    trees: 1,
    succeeded: count(({ status }) => status === 'succeeded' || status === 'idle'),
    failed: count(({ status }) => status === 'failed' || status === 'timed_out'),
    tokens: sum(({ usage }) => usage.inputTokens + usage.outputTokens),
    nanoUsd: sum(({ usage }) => usage.nanoUsd ?? 0),
    unpriced: count(isUnpriced),
  };
}

function dearestFirst(rows: ReadonlyMap<string, CostRow>): CostRow[] {
  return [...rows.values()].sort((one, other) => other.usd - one.usd || other.tokens - one.tokens);
}

import type { SpendingPage } from '../../core/records/listed-trees.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { addUp, dayBefore, endOfDay, type SpendingSum } from '../../core/records/spending.ts';
import { spentByDay, type DaysSpending } from '../../core/records/spent.ts';
import type { Instant } from '../../core/records/times.ts';
import type { Turn } from '../../core/records/turn.ts';
import { SPENT_IN_ALL } from './index-entries.ts';
import { OPEN_TREES, SPENT } from './partitions.ts';
import type { DayEntry } from './spent-in-all.ts';
import { mostBytesOf } from './item-limits.ts';
import { fromItem, toStored } from './stored.ts';
import type { Item, Table } from './table.ts';

/** The reads of records that adding up takes. */
export interface SpentRecords {
  table: Table;
  tree(id: string): Promise<Run[]>;
  turns(id: string): Promise<Turn[]>;
}

/** Clocks differ, and a run that ends at midnight is written a little later. */
const MARGIN_MS = 3_600_000;

/** So many entries are added up for one answer; a day is never divided. */
const MOST_ENTRIES = 20_000;
/** A day takes several reads and a write, however little was spent on it: an answer has at most some 400 of them. */
const DAY = 50;
/** So many trees under way are looked at for what they have spent today. */
const MOST_OPEN = 200;
/** A day with more to say than an item holds is added up each time. */
const MOST_BYTES = 300_000;

/**
 * What was spent, day by day, the last one first.
 * @param since the first day, `until` the last one
 */
export async function readSpending(
  { since, until }: { since: string; until: string },
  records: SpentRecords,
  now: Instant,
): Promise<SpendingPage> {
  const days: SpendingPage['days'] = [];
  let work = 0;
  for (let day = until; day >= since; day = dayBefore(day)) {
    if (work >= MOST_ENTRIES) return { days, next: day };
    const { spendings, entries } = await spentOn(day, records, now);
    days.push({ day, spendings });
    work += DAY + entries;
  }
  return { days };
}

interface SpentOnDay {
  spendings: SpendingSum[];
  /** How many entries were read for that. */
  entries: number;
}

async function spentOn(day: string, records: SpentRecords, now: Instant): Promise<SpentOnDay> {
  const { table } = records;
  if (endOfDay(day) + MARGIN_MS > now) {
    const entries = await entriesOf(day, table);
    for (const [key, entry] of await spentByOpen(day, records)) entries.set(key, entry);
    return { spendings: addUp(entries.values()), entries: entries.size };
  }
  const kept = await keptOf(day, table);
  if (kept === undefined) return { spendings: [], entries: 0 };
  if (kept.spendings !== undefined) return { spendings: kept.spendings, entries: 1 };
  const entries = await entriesOf(day, table);
  const spendings = addUp(entries.values());
  const sum = toStored({ spendings });
  // A late entry has changed the item, and the sum is not stored.
  if (mostBytesOf(JSON.stringify(sum)) < MOST_BYTES)
    await table.putIfVersion(kept.item.key, sum, kept.item.version);
  return { spendings, entries: entries.size };
}

/**
 * The earlier sum of a day. If there is none, a late entry finds its mark from now on; undefined: there is no table, and
 * reading makes none.
 */
async function keptOf(
  day: string,
  table: Table,
): Promise<{ item: Item; spendings?: SpendingSum[] } | undefined> {
  const key = { partition: SPENT_IN_ALL, sort: day };
  const known = await table.get(key);
  if (known === undefined && table.newest?.() === -1) return undefined;
  const item = known ?? (await table.putIfAbsent(key, { isStale: true })).item;
  const kept = fromItem<DayEntry>(item);
  return kept.isStale ? { item } : { item, spendings: kept.spendings };
}

/** By the run. */
async function entriesOf(day: string, table: Table): Promise<Map<string, DaysSpending>> {
  const entries = new Map<string, DaysSpending>();
  for await (const item of table.query(SPENT, `${day}#`)) {
    const entry = fromItem<DaysSpending>(item);
    entries.set(entry.run, entry);
  }
  return entries;
}

/** The spending of a day by runs that are still at work, without that of trees at rest. */
async function spentByOpen(
  day: string,
  { table, tree, turns }: SpentRecords,
): Promise<Map<string, DaysSpending>> {
  const entries = new Map<string, DaysSpending>();
  for await (const item of table.query(OPEN_TREES, '', { reverse: true, limit: MOST_OPEN })) {
    const runs = await tree(fromItem<{ run: string }>(item).run);
    if (!runs.some((run) => isIn(UNDER_WAY, run))) continue;
    for (const run of runs.filter(({ status }) => status === 'running')) {
      const spent = new Map(spentByDay(run, await turns(run.id))).get(day);
      if (spent !== undefined) entries.set(run.id, spent);
    }
  }
  return entries;
}

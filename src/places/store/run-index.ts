import { ANSWERED, UNDER_WAY, isIn } from '../../core/records/phase.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Opened } from '../../core/records/opened.ts';
import { runsBelow, type Run } from '../../core/records/run.ts';
import { dayOf, spentByDay } from '../../core/records/spent.ts';
import type { Instant } from '../../core/records/times.ts';
import type { Turn } from '../../core/records/turn.ts';
import { textsOf, wordsIn } from '../../core/records/words.ts';
import {
  FIRST_TREE,
  OPEN_TREES,
  openEntry,
  SPENT,
  treeEntry,
  TREES,
  UNSUCCESSFUL,
  WORDS,
  type WordsEntry,
} from './index-entries.ts';
import { isOpenTree } from './open-tree.ts';
import { replace } from './replace.ts';
import { markStale } from './spent-in-all.ts';
import { toStored } from './stored.ts';
import type { Json } from '../../json.ts';
import type { Key, Replacement, Table } from './table.ts';

/** The reads and writes that entries take. */
interface IndexPorts {
  table: Table;
  tree(id: string): Promise<Run[]>;
  opened(id: string): Promise<Opened | undefined>;
  /** All that a record counts, which are mostly at hand. */
  turns(run: Run): Promise<readonly Turn[]>;
  now: () => Instant;
}

/** What is known of a run that ends, or comes to rest. */
interface Closed {
  run: Run;
  opened: Opened | undefined;
  turns: readonly Turn[];
}

/** Marks are as old as the store; 2100 is never for an item that may be removed with time. */
const FOR_EVER = { expires: 4_102_444_800 };

/** The stores whose first tree is known to be noted. */
const NOTED = new WeakSet<Table>();

/** The entries of a tree that begins, to be written ahead of the record of its top. */
export async function begunEntries(top: Run, table: Table): Promise<Replacement[]> {
  if (!NOTED.has(table)) await table.putIfAbsent(FIRST_TREE, { run: top.id }, FOR_EVER);
  NOTED.add(table);
  return [treeEntry(TREES, top), openEntry(top)];
}

/**
 * The entries that follow from a change of a record, to be written ahead of it, so that they are there whenever it is.
 */
export async function changedEntries(before: Run, run: Run, ports: IndexPorts): Promise<Replacement[]> {
  if (run.status === 'running') return before.status === 'running' ? [] : [openEntry(run)];
  return closedEntries({ run, opened: await ports.opened(run.id), turns: await ports.turns(run) }, ports);
}

/** Puts a tree that goes on where a reader may have taken it away, which found it at rest just before. */
export async function afterChange(before: Run, run: Run, table: Table): Promise<void> {
  if (before.status === 'running' || run.status !== 'running') return;
  const { key, value } = openEntry(run);
  await table.putIfAbsent(key, value);
}

/**
 * The entries of a run that ends, or comes to rest: its words, its spending by the day, and how its tree ended. Those
 * of days that are over are written at once.
 */
async function closedEntries(closed: Closed, ports: IndexPorts): Promise<Replacement[]> {
  const { run } = closed;
  const today = dayOf(new Date(ports.now()).toISOString());
  const spent = spentEntries(closed);
  const late = spent.filter(({ day }) => day !== today);
  await Promise.all(late.map(({ day, entry }) => putLate(day, entry, ports.table)));
  return [
    wordsEntry(closed),
    ...spent.filter(({ day }) => day === today).map(({ entry }) => entry),
    ...(run.parent === undefined && UNSUCCESSFUL_ENDS.has(run.status) ? [treeEntry(UNSUCCESSFUL, run)] : []),
    ...((await endsTree(run, ports)) ? [{ key: { partition: OPEN_TREES, sort: treeKey(run.id) } }] : []),
  ];
}

const UNSUCCESSFUL_ENDS: ReadonlySet<Run['status']> = new Set([
  'budget_exceeded',
  'failed',
  'timed_out',
  'stopped',
]);

function sortOf({ id }: Run): string {
  return `${treeKey(id)}#${id}`;
}

function wordsEntry(closed: Closed): Replacement {
  const value: WordsEntry = { run: closed.run.id, words: wordsIn(textsOf(closed)) };
  return { key: { partition: WORDS, sort: sortOf(closed.run) }, value: toStored(value) };
}

function spentEntries({ run, turns }: Closed): { day: string; entry: Replacement & { value: Json } }[] {
  return spentByDay(run, turns).map(([day, spent]) => ({
    day,
    entry: { key: { partition: SPENT, sort: `${day}#${sortOf(run)}` }, value: toStored(spent) },
  }));
}

/** What was added up of its day before lacks it. */
async function putLate(day: string, { key, value }: { key: Key; value: Json }, table: Table): Promise<void> {
  await replace(table, key, value, `the entry "${key.sort}" changes too often to be written; try again`);
  await markStale(day, table);
}

/** Whether nothing of a tree is under way once its top has ended: one that has its answer has waited for that. */
async function endsTree(run: Run, { tree }: IndexPorts): Promise<boolean> {
  if (run.parent !== undefined || isIn(UNDER_WAY, run)) return false;
  return isIn(ANSWERED, run) || !isOpenTree(runsBelow(run, await tree(run.id)));
}

import { UNDER_WAY, isIn, phaseOf } from '../../core/records/phase.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Opened } from '../../core/records/opened.ts';
import { beginsAgent } from '../../core/records/plan.ts';
import type { RunStore } from '../../core/records/ports.ts';
import { runsBelow, type Run } from '../../core/records/run.ts';
import { dayOf, spentByDay } from '../../core/records/spent.ts';
import type { Turn } from '../../core/records/turn.ts';
import { textsOf, wordsIn } from '../../core/records/words.ts';
import {
  agentEntry,
  endEntries,
  FIRST_BY_AGENT,
  FIRST_BY_STATUS,
  FIRST_TREE,
  openEntry,
  treeEntry,
  UNSUCCESSFUL_ENDS,
  type WordsEntry,
} from './index-entries.ts';
import { OPEN_TREES, SPENT, TREES, WORDS } from './partitions.ts';
import { deleteTrees } from './delete-trees.ts';
import type { Documents } from './documents.ts';
import { isToBeListed, listTrees, openTrees, type ListedRecords } from './list-trees.ts';
import { readSpending } from './read-spending.ts';
import { replace } from './replace.ts';
import { markStale } from './spent-in-all.ts';
import { toStored } from './stored.ts';
import type { Json } from '../../json.ts';
import type { Key, Replacement, Table } from './table.ts';

/** The records that entries follow from, and the table that both are in. */
export interface IndexedRecords extends ListedRecords {
  documents: Documents;
  /** The turns that a record counts, which are mostly at hand. */
  turnsCounted(run: Run): Promise<readonly Turn[]>;
}

/** Writes and reads entries by which runs are found and counted. */
export interface RunIndex extends Pick<
  RunStore,
  'deleteTrees' | 'listAsOpen' | 'listTrees' | 'openTrees' | 'spending'
> {
  /**
   * @returns the entries of a run that begins, to be written ahead of its record: of the top of a tree; or of one that no
   * execution carries yet, whose tree may have come to its end meanwhile
   */
  begun(run: Run): Promise<Replacement[]>;
  /** @returns the entries that follow from a change of a record, likewise: they are there whenever it is */
  changed(before: Run, after: Run): Promise<Replacement[]>;
  /** Called once the record is written. @param entries that were written or removed with it */
  written(before: Run, after: Run, entries: readonly Replacement[]): Promise<void>;
}

export function createRunIndex(records: IndexedRecords): RunIndex {
  const { table, documents, now } = records;
  let isFirstKept = false;
  const listAsOpen = async (run: Run) => {
    const { key, value } = openEntry(run);
    await table.putIfAbsent(key, value);
  };
  return {
    async begun(run) {
      if (run.parent !== undefined) return [openEntry(run)];
      if (!isFirstKept) {
        const firsts = [FIRST_TREE, FIRST_BY_AGENT, FIRST_BY_STATUS];
        await Promise.all(firsts.map((key) => table.putIfAbsent(key, { run: run.id }, FOR_EVER)));
        isFirstKept = true;
      }
      return [treeEntry(TREES, run), agentEntry(run), openEntry(run)];
    },
    async changed(before, run) {
      if (run.status === 'running') return before.status === 'running' ? [] : [openEntry(run)];
      const [opened, turns] = await Promise.all([records.opened(run.id), records.turnsCounted(run)]);
      return closedEntries({ run, opened, turns }, records);
    },
    async written(before, run, entries) {
      // A reader that found its tree at rest just before may have taken its entry away.
      const goesOn = before.status !== 'running' && run.status === 'running';
      // Whoever had it go on before its entry was removed, or wrote to an agent, found that entry still there.
      const isOff = entries.some(({ value }) => value === undefined);
      if (goesOn || (isOff && (await isToBeListed(await records.tree(run.id), records))))
        await listAsOpen(run);
    },
    listAsOpen,
    openTrees: async (after) => openTrees(after, records),
    listTrees: (wanted) => listTrees(wanted, records),
    spending: (days) => readSpending(days, records, now()),
    deleteTrees: (ids) => deleteTrees(ids, table, documents),
  };
}

/** What is known of a run that ends, or comes to rest. */
interface Closed {
  run: Run;
  opened: Opened | undefined;
  turns: readonly Turn[];
}

/** Marks are as old as the store; 2100 is never for an item that may be removed with time. */
const FOR_EVER = { expires: 4_102_444_800 };

/**
 * The entries of a run that ends, or comes to rest: its words, its spending by the day, and how its tree ended. Those
 * of days that are over are written at once.
 */
async function closedEntries(closed: Closed, ports: IndexedRecords): Promise<Replacement[]> {
  const { run } = closed;
  const today = dayOf(new Date(ports.now()).toISOString());
  const spent = spentEntries(closed);
  const late = spent.filter(({ day }) => day !== today);
  await Promise.all(late.map(({ day, entry }) => putLate(day, entry, ports.table)));
  return [
    wordsEntry(closed),
    ...spent.filter(({ day }) => day === today).map(({ entry }) => entry),
    ...(run.parent === undefined && UNSUCCESSFUL_ENDS.has(run.status) ? endEntries(run) : []),
    ...((await endsTree(closed, ports)) ? [{ key: { partition: OPEN_TREES, sort: treeKey(run.id) } }] : []),
  ];
}

function sortOf({ id }: Run): string {
  return `${treeKey(id)}#${id}`;
}

function wordsEntry(closed: Closed): Replacement {
  const { words, isList = false } = wordsIn(textsOf(closed));
  const value: WordsEntry = { run: closed.run.id, words };
  const key = { partition: WORDS, sort: sortOf(closed.run) };
  return { key, value: toStored(value), savesRoom: isList };
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

/**
 * Whether nothing of a tree is left to do once its top has ended. If it has called others, the tree stays on the list
 * until a reader finds that nobody is late any more: any of its agents may have given up another one, which nobody has
 * closed yet, or may be written down by a slow function. So does one without an answer in which an agent has been written
 * to.
 */
async function endsTree({ run, turns }: Closed, { tree }: IndexedRecords): Promise<boolean> {
  if (run.parent !== undefined || isIn(UNDER_WAY, run)) return false;
  if (turns.some(({ plans }) => plans.some(beginsAgent))) return false;
  if (phaseOf(run) === 'answered') return true;
  const left = [run, ...runsBelow(run, await tree(run.id))];
  const isWanted = (one: Run) => one.hasMail ?? one.isToBeKilled ?? one.isToGiveUp;
  return !left.some((one) => isIn(UNDER_WAY, one) || isWanted(one));
}

import type { ListedTree, TreePage, WantedTrees } from '../../core/records/listed-trees.ts';
import { OPEN, UNDER_WAY, isIn } from '../../core/records/phase.ts';
import { firstOf, timeKey, timeOf, treeKey } from '../../core/records/run-id.ts';
import type { Mail } from '../../core/records/mail.ts';
import type { Run } from '../../core/records/run.ts';
import type { Instant } from '../../core/records/times.ts';
import type { Turn } from '../../core/records/turn.ts';
import type { Opened } from '../../core/records/opened.ts';
import { countFound } from '../../terms.ts';
import { textsOf, wordsIn } from '../../core/records/words.ts';
import {
  agentPrefix,
  FIRST_BY_AGENT,
  FIRST_BY_STATUS,
  FIRST_TREE,
  openEntry,
  statusPrefix,
  UNSUCCESSFUL_ENDS,
  type TreeEntry,
  type WordsEntry,
} from './index-entries.ts';
import { OPEN_TREES, TREES, TREES_BY_AGENT, TREES_BY_STATUS, UNSUCCESSFUL, WORDS } from './partitions.ts';
import { fromItem } from './stored.ts';
import type { Item, Key, Table } from './table.ts';
import { belongsTo } from '../../core/records/owner.ts';

/** The reads of records that a list takes. */
export interface ListedRecords {
  table: Table;
  run(id: string): Promise<Run | undefined>;
  tree(id: string): Promise<Run[]>;
  turns(id: string): Promise<Turn[]>;
  mails(id: string): Promise<Mail[]>;
  opened(id: string): Promise<Opened | undefined>;
  now: () => Instant;
}

/** How much work a page may take, in entries that are read; a table gives some 5,000 in 20 ms. */
const MOST_WORK = 10_000;
/** That of reading a record, and of reading a whole tree with its turns. */
const RECORD = 5;
const WHOLE_TREE = 100;

/** The wanted trees, newest first, among as many as one page may look through. */
export async function listTrees(wanted: WantedTrees, records: ListedRecords): Promise<TreePage> {
  const { limit, accepts = () => true } = wanted;
  const trees: ListedTree[] = [];
  const words = wordsFrom(wanted, records.table);
  let work = 0;
  /** When the last tree that was looked at for this page began, if its reader may not know the tree. */
  let hidden: string | undefined;
  for await (const { key, entry } of candidates(wanted, records.table)) {
    if (hidden !== undefined && !key.startsWith(hidden)) {
      await words.return();
      return { trees, next: firstOf(hidden) };
    }
    work += 1;
    const top = isMeant(entry, wanted) ? await topOf(entry, wanted, records) : undefined;
    if (top !== undefined) {
      const { terms = [] } = wanted;
      const found =
        terms.length === 0 ? { work: 0, run: top.id } : await search(terms, key, top, words, records);
      work += RECORD + found.work;
      if (found.run !== undefined && (await accepts(top)))
        trees.push({ top, ...(terms.length > 0 && { found: found.run }) });
    }
    if (trees.length < limit && work < MOST_WORK) continue;
    if (wanted.owner === undefined || top !== undefined) {
      await words.return();
      return { trees, next: entry.run };
    }
    hidden = timeOf(key);
  }
  return { trees };
}

/**
 * The trees in which something is still to happen, newest first; others are taken off the list.
 * @param after only trees that are older than this one
 */
export async function* openTrees(after: string | undefined, records: ListedRecords): AsyncGenerator<Run[]> {
  for await (const item of newestFirst(OPEN_TREES, after && treeKey(after), records.table)) {
    const { run } = fromItem<TreeEntry>(item);
    const tree = await records.tree(run);
    // Whoever does what is left in a tree reads what this cannot read, and tells of it.
    if (await isToBeListed(tree, records).catch(() => true)) {
      yield tree;
      continue;
    }
    const top = tree.find(({ id }) => id === run);
    if (top !== undefined && nobodyIsLate(tree, records.now())) await takeOff(top, records);
  }
}

/** A function lasts no longer (Lambda, "Quotas"): until then, a late one may begin something in a tree that has ended. */
const LATEST_MS = 900_000;

function nobodyIsLate(tree: readonly Run[], now: Instant): boolean {
  return tree.every(({ startedAt, endedAt = startedAt }) => now - Date.parse(endedAt) > LATEST_MS);
}

interface Candidate {
  key: string;
  entry: TreeEntry;
}

/** Trees that have entries of their own. */
interface List {
  partition: string;
  /** How the sort keys of its entries begin, in front of the keys of trees. */
  prefix: string;
  /** Absent: every tree is in it. */
  from?: {
    /** Where the first tree is named from which on all are in it. */
    first: Key;
    /** Where the older ones are. */
    older: List;
  };
}

/** The trees among which the wanted ones are, newest first. */
async function* candidates(wanted: WantedTrees, table: Table): AsyncGenerator<Candidate> {
  let list: List | undefined = listOf(wanted);
  let before = startOf(wanted);
  const since = wanted.since === undefined ? '' : timeKey(wanted.since);
  while (list !== undefined) {
    const { from }: List = list;
    const item = from && (await table.get(from.first));
    const first = item && treeKey(fromItem<{ run: string }>(item).run);
    // Of older trees, only some are in it.
    const oldest = first !== undefined && first > since ? first : since;
    if (from === undefined || first !== undefined) yield* entriesOf(list, before, oldest, table);
    before = [before, first].filter((key) => key !== undefined).sort()[0];
    list = from?.older;
  }
}

const ALL: List = { partition: TREES, prefix: '' };

function listOf({ statuses = ['succeeded'], agent }: WantedTrees): List {
  if (statuses.every((status) => status === 'running' || status === 'idle'))
    return { partition: OPEN_TREES, prefix: '', from: { first: FIRST_TREE, older: ALL } };
  if (statuses.every((status) => UNSUCCESSFUL_ENDS.has(status))) {
    const older: List = { partition: UNSUCCESSFUL, prefix: '', from: { first: FIRST_TREE, older: ALL } };
    const [status, ...others] = statuses;
    if (status === undefined || others.length > 0) return older;
    return {
      partition: TREES_BY_STATUS,
      prefix: statusPrefix(status),
      from: { first: FIRST_BY_STATUS, older },
    };
  }
  if (agent === undefined) return ALL;
  return {
    partition: TREES_BY_AGENT,
    prefix: agentPrefix(agent),
    from: { first: FIRST_BY_AGENT, older: ALL },
  };
}

/** Where the newest of the wanted trees is, as the key behind it. */
function startOf({ after, until }: WantedTrees): string | undefined {
  const keys = [after && treeKey(after), until && timeKey(until)].filter((key) => key !== undefined);
  return keys.sort()[0];
}

async function* entriesOf(
  { partition, prefix }: List,
  before: string | undefined,
  oldest: string,
  table: Table,
): AsyncGenerator<Candidate> {
  for await (const item of newestFirst(partition, before, table, prefix)) {
    const key = item.key.sort.slice(prefix.length);
    if (key < oldest) return;
    yield { key, entry: fromItem<TreeEntry>(item) };
  }
}

function newestFirst(
  partition: string,
  before: string | undefined,
  table: Table,
  prefix = '',
): AsyncIterable<Item> {
  const after = before === undefined ? {} : { after: `${prefix}${before}` };
  return table.query(partition, prefix, { reverse: true, ...after });
}

/** Whether a tree may be wanted, as far as its entry tells, or is, as its record says. */
function isMeant(entry: Omit<TreeEntry, 'run'>, { agent, owner, tags = {}, statuses }: WantedTrees): boolean {
  if (entry.agent === undefined) return true;
  if (agent !== undefined && entry.agent !== agent) return false;
  if (owner !== undefined && !belongsTo(entry, owner)) return false;
  if (entry.status !== undefined && statuses?.includes(entry.status) === false) return false;
  return Object.entries(tags).every(([key, value]) => entry.tags?.[key] === value);
}

/** The record of a wanted tree; an entry may outlive what it says, and the record: only the sweep takes it off. */
async function topOf(
  entry: TreeEntry,
  wanted: WantedTrees,
  records: ListedRecords,
): Promise<Run | undefined> {
  const top = await records.run(entry.run);
  return top !== undefined && isMeant(top, wanted) ? top : undefined;
}

/** Whether a tree has a run that is carried, or should be; or one of which a person wants something by now. */
export async function isToBeListed(tree: readonly Run[], records: ListedRecords): Promise<boolean> {
  const isLeft = (run: Run) => run.isToGiveUp === true || (run.isToBeKilled === true && isIn(OPEN, run));
  if (tree.some((run) => isIn(UNDER_WAY, run) || isLeft(run))) return true;
  if (tree.every(({ hasMail }) => hasMail !== true)) return false;
  const { dueRuns } = await import('../../core/lifecycle/due.ts');
  return (await dueRuns(tree, tree, records)).length > 0;
}

async function takeOff(top: Run, records: ListedRecords): Promise<void> {
  const { table, tree } = records;
  const { key, value } = openEntry(top);
  await table.delete(key);
  // It may have continued since. A process that wakes a run of it lists it after that, too.
  if (await isToBeListed(await tree(top.id), records)) await table.putIfAbsent(key, value);
}

/** Words of trees, newest first. */
function wordsFrom(wanted: WantedTrees, table: Table): Lookahead<Item> {
  const before = startOf(wanted);
  return new Lookahead(() => newestFirst(WORDS, before, table)[Symbol.asyncIterator]());
}

interface Found {
  work: number;
  /** The run that has most of the terms; undefined: the tree lacks some. */
  run?: string | undefined;
}

/** Looks for terms in the runs of a tree: in their words, or in the records of one that has none yet. */
async function search(
  terms: readonly string[],
  key: string,
  top: Run,
  words: Lookahead<Item>,
  records: ListedRecords,
): Promise<Found> {
  const entries: WordsEntry[] = [];
  let work = 0;
  for (let item; (item = await words.peek()) !== undefined && item.key.sort >= key; words.take()) {
    work += 1;
    if (item.key.sort.startsWith(`${key}#`)) entries.push(fromItem<WordsEntry>(item));
  }
  const isWhole = entries.some(({ run }) => run === top.id);
  if (isWhole) return { work, run: bestOf(terms, entries) };
  const tree = await records.tree(top.id);
  const read = tree.map(async (run): Promise<WordsEntry> => {
    const [opened, turns] = await Promise.all([records.opened(run.id), records.turns(run.id)]);
    return { run: run.id, ...wordsIn(textsOf({ run, opened, turns })) };
  });
  return { work: work + WHOLE_TREE, run: bestOf(terms, await Promise.all(read)) };
}

/** The run that has most of the terms, which the runs have together. */
function bestOf(terms: readonly string[], entries: readonly WordsEntry[]): string | undefined {
  if (!terms.every((term) => entries.some(({ words }) => words.includes(term)))) return undefined;
  const counted = entries.map(({ run, words }) => ({ run, count: countFound(terms, words) }));
  return counted.sort((one, other) => other.count - one.count)[0]?.run;
}

/** Items in order, with a way to look at the next one before taking it. */
class Lookahead<T> {
  readonly #open: () => AsyncIterator<T>;
  #items: AsyncIterator<T> | undefined;
  #next: Promise<IteratorResult<T, unknown>> | undefined;

  constructor(open: () => AsyncIterator<T>) {
    this.#open = open;
  }

  async peek(): Promise<T | undefined> {
    this.#items ??= this.#open();
    this.#next ??= this.#items.next();
    const next = await this.#next;
    return next.done ? undefined : next.value;
  }

  take(): void {
    this.#next = undefined;
  }

  async return(): Promise<void> {
    await this.#items?.return?.();
  }
}

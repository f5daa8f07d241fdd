import { createHash } from 'node:crypto';
import type { KeptFile } from '../../core/records/attachment.ts';
import type { Summary } from '../../core/records/compaction.ts';
import { assertTransition } from '../../core/records/phase.ts';
import type {
  Binding,
  Calls,
  HookRecords,
  Ledgers,
  Mailboxes,
  Questions,
  Rests,
  RunStore,
  Watching,
} from '../../core/records/ports.ts';
import { treeKey } from '../../core/records/run-id.ts';
import { isAhead, type Run } from '../../core/records/run.ts';
import type { Instant } from '../../core/records/times.ts';
import type { Turn } from '../../core/records/turn.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { Documents } from './documents.ts';
import { createCalls } from './calls.ts';
import type { BackOff } from './contention.ts';
import { createLedgers } from './ledgers.ts';
import { fromItem, toStored } from './stored.ts';
import { createMailboxes } from './mailboxes.ts';
import { createOpened } from './opened.ts';
import { createQuestions } from './questions.ts';
import { createRests } from './rests.ts';
import { RecentlyUsed } from './recently-used.ts';
import type { Item, Key, Table } from './table.ts';
import { TREES, KEYS } from './partitions.ts';
import { turnNumber } from './turn-number.ts';
import { createWatching } from './watching.ts';
import { loadOnce } from '../../load-once.ts';

/**
 * How runs lie in the table. One item is one write, so nothing needs a transaction. Where partitions have limits, the
 * table spreads lists over several (partitions.ts):
 *
 * | partition     | sort key                  | what                                              |
 * | ------------- | ------------------------- | ------------------------------------------------- |
 * | `runs`        | `<key>`                   | the tops of all trees, in order of time           |
 * | `open`        | `<key>`                   | the trees that have a run under way               |
 * | `unsuccessful` | `<key>`                  | the trees that did not succeed                    |
 * | `trees-by-agent` | `<agent>#<key>`          | the tops of all trees, by their agents            |
 * | `trees-by-status` | `<status>#<key>`        | the trees that did not succeed, by how they ended |
 * | `words`       | `<key>#<id>`              | the words of each run that has ended or rests     |
 * | `spent`       | `<day>#<key>#<id>`        | what each such run spent on a day                 |
 * | `spent-in-all` | `<day>`                  | the same of all runs                              |
 * | `index`       | `first`, `first-by-…`     | the first tree of which there are such entries    |
 * | `index`       | `swept`                   | when trees were last swept                        |
 * | `tree#<key>`  | `run#<id>`                | the light record of each run of one tree          |
 * | `tree#<key>`  | `clock`                   | how long the tree has waited for people           |
 * | `tree#<key>`  | `await#<id>#<what>`       | which execution waits for mail                    |
 * | `tree#<key>`  | `name#<name>`             | the run that others call so                       |
 * | `watch#<key>` | `watch`                   | until when a client watches the tree              |
 * | `run#<id>`    | `ledger`                  | what the run may spend, and has spent             |
 * | `run#<id>`    | `request`                 | what was asked for, at the top of a tree          |
 * | `run#<id>`    | `attachment#<name>`       | a file that the tree of this top has              |
 * | `run#<id>`    | `opened`                  | the fixed part of the conversation                |
 * | `run#<id>`    | `turn#<number>`           | one turn, numbers as `turnNumber` writes them     |
 * | `run#<id>`    | `draft`                   | the turn that a watched run is in                 |
 * | `run#<id>`    | `summary#<turn>`          | what stands for older messages from that turn on  |
 * | `run#<id>`    | `begun#<turn>#<call>`     | who began a call that a function carries out      |
 * | `run#<id>`    | `result#<turn>#<call>`    | the result of such a call                         |
 * | `run#<id>`    | `hook#<turn>#<call>#<n>`  | what a hook decided; call 0: about the turn's text |
 * | `run#<id>`    | `withheld#<turn>#<call>`  | what hooks are still asked about                  |
 * | `run#<id>`    | `pending#<turn>`          | a turn that waits for its answer from a batch     |
 * | `run#<id>`    | `batched#<turn>`          | what came of it                                   |
 * | `run#<id>`    | `await-batch#<turn>#<n>`  | which executions wait for it                      |
 * | `run#<id>`    | `seen#<hash>`             | which version of a file the run knows             |
 * | `run#<id>`    | `question#<turn>#<call>`  | what the run asked a person, or that it asks none |
 * | `run#<id>`    | `answer#<turn>#<call>`    | how that ended                                    |
 * | `run#<id>`    | `wait#<turn>#<call>`      | which execution waits for it                      |
 * | `run#<id>`    | `mail#<message>`          | a message to the run                              |
 * | `run#<id>`    | `sent#<key>`              | the message that its sender knows by a key        |
 * | `run#<id>`    | `key#<name>`              | what a key of the run's own is bound to           |
 * | `batch#<bucket>` | `member#<request>`     | a pending turn that is to be in a batch           |
 * | `batch#<bucket>` | `note#<what>`          | how far the batches of the bucket have come       |
 * | `batches`     | `<id>`                    | the bucket that a provider's batch was made of    |
 * | `questions`   | `<key>#<id>#<turn>#<call>` | the questions that are open, of all trees         |
 * | `key#<hash>`  | `run`                     | the run that a caller's own key stands for        |
 * | `cooldowns#<n>` | `<model>`, `pause`        | until when a model is left alone; whether all is paused |
 * | `limit#<day>#<n>` | `<scope>`       | a sixteenth of a limit per day, and what is gone of it |
 * | `limit#<day>` | `near#<scope>`            | that people were told of such a limit             |
 * | `server#<hash>` | `listing`, `tools#<hash>` | what a server of tools offered, and which of it is in force |
 */
export function createRunStore(
  table: Table,
  documents: Documents,
  stayAway?: BackOff,
  now: () => Instant = Date.now,
): RunStore {
  /** Of the records that were read here: a change of one of them need not read it again. */
  const versions = new WeakMap<Run, number>();
  const toRun = (item: Item) => {
    const record = fromItem<Run>(item);
    versions.set(record, item.version);
    return record;
  };
  const run = (id: string) => table.get(recordKey(id)).then((item) => item && toRun(item));
  /** By a run's first turn, as long as that is at hand: the turns from there on, as far as they are known. */
  const known = new WeakMap<Turn, Turn[]>();
  /**
   * Turns have no gaps, and the writer of one mostly knows all before it: if there is no next turn, the known ones are
   * all.
   * @returns undefined if they are not all, or none are known
   */
  const recentTurns = async (id: string) => {
    const turns = turnsAtHand(id);
    if (turns.length === 0) return undefined;
    return (await documents.get<Turn>(turnKey(id, turns.length + 1))) === undefined ? [...turns] : undefined;
  };
  const turnsAtHand = (id: string) => {
    const first = documents.recent<Turn>(turnKey(id, 1));
    if (first === undefined) return [];
    const turns = known.get(first) ?? [first];
    known.set(first, turns);
    const next = () => turnKey(id, turns.length + 1);
    for (let turn; (turn = documents.recent<Turn>(next())) !== undefined;) turns.push(turn);
    return turns;
  };

  /** Runs that were opened here: most have no turn yet when asked for theirs, and a query takes longer to say so. */
  const begun = new RecentlyUsed<true>(MAX_BEGUN);
  const allTurns = async (id: string) => {
    const hasNone = begun.get(id) === true && (await documents.get(turnKey(id, 1))) === undefined;
    return hasNone ? [] : documents.query<Turn>(`run#${id}`, 'turn#');
  };

  const turns = async (id: string) => (await recentTurns(id)) ?? allTurns(id);
  const conversations = createOpened(documents);
  const { opened } = conversations;
  const turnsCounted = async ({ id, usage }: Run) => {
    const atHand = turnsAtHand(id);
    return atHand.length >= usage.turns ? atHand.slice(0, usage.turns) : allTurns(id);
  };
  const mailboxes = createMailboxes(table, stayAway);
  const { mails } = mailboxes;
  /** Loaded with the first run that begins or ends: most functions carry runs that do neither. */
  const loadIndex = loadOnce(async () => {
    const { createRunIndex } = await import('./run-index.ts');
    return createRunIndex({ table, documents, run, tree, opened, mails, turns, turnsCounted, now });
  });
  /** Few agents have servers of tools. */
  const loadListings = loadOnce(async () => (await import('./listings.ts')).createListings(table, documents));
  /** Few agents have hooks. */
  const loadHooks = loadOnce(async () => (await import('./hooks.ts')).createHookRecords(documents));
  const hookRecords: HookRecords = {
    decision: async (at) => (await loadHooks()).decision(at),
    decisions: async (id, turn) => (await loadHooks()).decisions(id, turn),
    saveDecision: async (at, decided) => (await loadHooks()).saveDecision(at, decided),
    withheldTurn: async (id, turn) => (await loadHooks()).withheldTurn(id, turn),
    withholdTurn: async (id, turn) => (await loadHooks()).withholdTurn(id, turn),
    withheldResult: async (at) => (await loadHooks()).withheldResult(at),
    withholdResult: async (at, result) => (await loadHooks()).withholdResult(at, result),
  };
  /** The tree that was read last, for as long as nobody has written to the table since. */
  let lastTree: { key: string; at: number; runs: readonly Run[] } | undefined;
  const tree = async (id: string) => {
    const key = treeKey(id);
    const at = table.newest?.();
    if (lastTree?.key === key && lastTree.at === at) return [...lastTree.runs];
    const runs: Run[] = [];
    for await (const item of table.query(`tree#${key}`, 'run#')) runs.push(toRun(item));
    runs.sort((one, other) => comparePaths(one.path, other.path));
    lastTree = at === undefined ? undefined : { key, at, runs };
    return [...runs];
  };

  const own: Omit<RunStore, keyof Parts> = {
    listing: async (server) => (await loadListings()).listing(server),
    saveListing: async (...given) => (await loadListings()).saveListing(...given),

    attachment: (root, name) => documents.get<KeptFile>(attachmentKey(root, name)),
    async saveAttachment(root, name, file) {
      await documents.putIfAbsent(attachmentKey(root, name), { ...file });
    },

    turns,
    turn: (id, number) => documents.get<Turn>(turnKey(id, number)),
    async newestTurn(id) {
      const turns = await recentTurns(id);
      const newest = { reverse: true, limit: 1 };
      return (turns ?? (await documents.query<Turn>(`run#${id}`, 'turn#', newest))).at(-1);
    },
    saveTurn: (id, turn) => documents.putIfAbsent(turnKey(id, turn.number), turn),

    summary: (id, turn) => documents.get<Summary>(turnKey(id, turn, 'summary')),
    saveSummary: (id, summary) => documents.putIfAbsent(turnKey(id, summary.turn, 'summary'), summary),

    run,
    async insertRun(record) {
      const { id, parent } = record;
      assertTransition(undefined, record);
      const isListed = parent === undefined || isAhead(record);
      const ahead = isListed ? await (await loadIndex()).begun(record) : [];
      begun.set(id, true, 1);
      return toRun((await table.putIfAbsent(recordKey(id), toStored(record), { ahead })).item);
    },
    async updateRun(id, change, known) {
      let before = known !== undefined && versions.has(known) ? known : await run(id);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        if (before === undefined) return undefined;
        const after = change(before);
        if (after === before) return before;
        assertTransition(before, after);
        const isListed = before.status !== after.status || before.usage !== after.usage;
        const index = isListed ? await loadIndex() : undefined;
        const ahead = (await index?.changed(before, after)) ?? [];
        const version = versions.get(before) ?? 0;
        const written = await table.putIfVersion(recordKey(id), toStored(after), version, { ahead });
        if (written !== undefined) {
          await index?.written(before, after, ahead);
          return toRun(written);
        }
        before = await run(id);
      }
      throw new StoreUnavailableError(`the record of run "${id}" changes too often to be updated; try again`);
    },

    tree,
    async *roots(limit, { after, key = '' } = {}) {
      let start = after === undefined ? undefined : treeKey(after);
      for (let left = limit; left > 0;) {
        const from = start === undefined ? {} : { after: start };
        start = undefined;
        // An entry may outlive its record, so more of them may have to be read than there are runs to give.
        for await (const item of table.query(TREES, key, { reverse: true, limit: left, ...from })) {
          start = item.key.sort;
          const record = await run(fromItem<{ run: string }>(item).run);
          if (record === undefined) continue;
          left -= 1;
          yield record;
        }
        if (start === undefined) return;
      }
    },

    dayShards: async () => (await import('./day-shards.ts')).createDayShards(table, stayAway),
    batches: async () => (await import('./batches.ts')).createBatches(table, documents),

    listTrees: async (wanted) => (await loadIndex()).listTrees(wanted),
    openTrees: async (after) => (await loadIndex()).openTrees(after),
    listAsOpen: async (given) => (await loadIndex()).listAsOpen(given),
    spending: async (days) => (await loadIndex()).spending(days),
    deleteTrees: async (ids) => (await loadIndex()).deleteTrees(ids),

    bind: (key, binding, of) => documents.putIfAbsent(keyKey(key, of), { ...binding }),
    bound: (key, of) => documents.get<Binding>(keyKey(key, of)),
  };
  // Spreading these into the literal would take fifty times as long, and a store is made with each cold start.
  const parts: Parts = Object.assign(
    Object.assign(conversations, createLedgers(table, stayAway), createRests(table)),
    Object.assign(createCalls(table, documents), hookRecords),
    Object.assign(mailboxes, createQuestions(table, documents, run, stayAway), createWatching(table)),
  );
  return Object.assign(own, parts);
}

type Parts = ReturnType<typeof createOpened> &
  Ledgers &
  Rests &
  Calls &
  HookRecords &
  Mailboxes &
  Questions &
  Watching;

function keyKey(key: string, of: string | undefined): Key {
  if (of !== undefined) return { partition: `run#${of}`, sort: `key#${key}` };
  return { partition: `${KEYS}${createHash('sha256').update(key).digest('hex')}`, sort: 'run' };
}

/** Ids, each of which is soon asked for its turns. */
const MAX_BEGUN = 1_000;

/** Updates of one record meet each other at most a few times: its turn, its end and a late event. */
const MAX_ATTEMPTS = 10;

function recordKey(id: string): Key {
  return { partition: `tree#${treeKey(id)}`, sort: `run#${id}` };
}

function attachmentKey(root: string, name: string): Key {
  return { partition: `run#${root}`, sort: `attachment#${name}` };
}

function turnKey(id: string, number: number, kind: 'turn' | 'summary' = 'turn'): Key {
  return { partition: `run#${id}`, sort: `${kind}#${turnNumber(number)}` };
}

/** Parents before their children, calls by number: `t2c10` after `t2c9`. */
const comparePaths = new Intl.Collator('en', { numeric: true }).compare;

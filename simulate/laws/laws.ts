import type { KeptDecision } from '../../src/core/records/hook.ts';
import { isIn, UNDER_WAY } from '../../src/core/records/phase.ts';
import type { Opened } from '../../src/core/records/opened.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Turn } from '../../src/core/records/turn.ts';
import type { Json } from '../../src/json.ts';
import { fromStored } from '../../src/places/store/stored.ts';
import type { Key } from '../../src/places/store/table.ts';
import type { TokenUsage } from '../../src/token-usage.ts';
import type { Account } from '../world/account.ts';
import { toClaim } from '../world/claims.ts';
import type { Invocation } from '../world/invocations.ts';
import type { Asked, Line } from '../world/models.ts';
import { withinBudgets } from './budgets.ts';
import { deedsOnce } from './deeds.ts';
import { ENDS_ARRIVE } from './ends.ts';
import { WRITES_STAY } from './files.ts';
import { hooksComeFirst } from './hooks.ts';
import type { Law, Written } from './law.ts';
import { MESSAGES_ARRIVE } from './messages.ts';
import { ownersApart } from './owners.ts';
import { FAILURES_HAVE_REASONS } from './failures.ts';
import { allIsCounted, EVERYTHING_ENDS, PHASES_BY_THE_TABLE } from './records.ts';
import {
  CALLS_COME_TO_AN_END,
  nothingBelowTheDead,
  resultsInOrder,
  storedTurnsStand,
  theDeadRest,
} from './turns.ts';

export type Laws = ReturnType<typeof lawsOf>;

/** All laws, and what they know of a world: they are told of what happens in it. */
export function lawsOf(trace: ((line: string) => void) | undefined) {
  const runs = new Map<string, Run>();
  const turns = new Map<string, Turn[]>();
  const before = new WeakMap<Invocation, ReturnType<Written['before']>>();
  const failed = new WeakSet<Invocation>();
  const trees = new Map<string, string[]>();
  const owners = new Map<string, string>();
  const limits = new Map<string, number>();
  const spent = new Map<string, number>();
  /** The tokens beyond those that providers say were used: by the text of an answer, and by tree where it is a turn. */
  const claims = new Map<string, number>();
  const claimed = new Map<string, number>();
  const treeOfMark = new Map<string, string>();
  const broken: string[] = [];
  const rootOf = (run: string) => runs.get(run)?.root;
  const written: Written = {
    runs,
    turns: (run) => turns.get(run) ?? [],
    before: (by) => before.get(by) ?? { run: undefined, turns: 0, holder: 0, turn: 0 },
    hasFailed: (by) => failed.has(by) || by.process.isDead,
  };
  const laws: Law[] = [
    FAILURES_HAVE_REASONS,
    storedTurnsStand(written),
    CALLS_COME_TO_AN_END,
    deedsOnce(),
    hooksComeFirst(written),
    theDeadRest(written),
    nothingBelowTheDead(written),
    withinBudgets(
      limits,
      (root) => spent.get(root) ?? 0,
      (root) => claimed.get(root) ?? 0,
      rootOf,
    ),
    PHASES_BY_THE_TABLE,
    resultsInOrder(written),
    MESSAGES_ARRIVE,
    ENDS_ARRIVE,
    WRITES_STAY,
    ownersApart(owners, treeOfMark, rootOf),
    EVERYTHING_ENDS,
    allIsCounted(written),
  ];
  const judge = (told: (law: Law) => string[] | undefined) => {
    for (const law of laws) {
      for (const wrong of told(law) ?? []) {
        broken.push(`${law.says}: ${wrong}`);
        trace?.(`BROKEN ${law.says}: ${wrong}`);
      }
    }
  };
  let count = 0;
  /** Whether nobody from this one up to the top has ended, with whom all of a share counts as spent, and no more. */
  const isHeardOf = (id: string | undefined, root: string): boolean => {
    const run = id === undefined || id === root ? undefined : runs.get(id);
    return run === undefined || (isIn(UNDER_WAY, run) && isHeardOf(run.parent?.run, root));
  };

  return {
    laws,
    broken,
    isBroken: () => broken.length > 0,
    turns: () => count,
    runOf: (id: string) => runs.get(id),
    treeOf: (run: string) => trees.get(rootOf(run) ?? ''),
    noteTree(root: string, owner: string, tokens: number): void {
      trees.set(root, []);
      owners.set(root, owner);
      if (tokens > 0) limits.set(root, tokens);
    },
    /** A person adds to its budget. */
    noteMore(root: string, tokens: number): void {
      const limit = limits.get(root);
      if (limit !== undefined) limits.set(root, limit + tokens);
    },
    /** The tokens of all trees. */
    spent: () => [...spent.values()].reduce((sum, tokens) => sum + tokens, 0),
    noteMark(mark: string, run: string): void {
      const root = rootOf(run);
      if (root !== undefined) treeOfMark.set(mark, root);
    },
    noteAnswer(run: string, line: Exclude<Line, Error>): void {
      const root = rootOf(run) ?? '';
      const { text = '', usage, said = usage } = line;
      spent.set(root, (spent.get(root) ?? 0) + tokensOf(usage));
      if (said?.isEstimate !== true) claims.set(text, tokensOf(said) - tokensOf(usage));
    },
    onBegun(by: Invocation, payload: Json): void {
      const claim = toClaim(payload);
      const { run, holder, turn = 0 } = claim;
      trace?.(`${by.name} is called for ${run} in ${holder}: ${JSON.stringify(payload)}`);
      before.set(by, { run: runs.get(run), turns: turns.get(run)?.length ?? 0, holder, turn });
      judge((law) => law.onBegun?.(claim));
    },
    onFailed(by: Invocation, thrown: unknown): void {
      failed.add(by);
      trace?.(`${by.name} for ${by.run} fails: ${String(thrown)}`);
      judge((law) => law.onFailed?.(by, thrown));
    },
    onPut(by: Invocation, { partition, sort }: Key, value: Json, isWritten: boolean): void {
      if (!isWritten) return;
      if (partition.startsWith('tree#') && sort.startsWith('run#')) {
        const after = fromStored<Run>(value, sort);
        const earlier = runs.get(after.id);
        runs.set(after.id, after);
        if (earlier === undefined) trees.get(after.root)?.push(after.id);
        if (earlier?.status !== after.status || earlier.holder !== after.holder) {
          trace?.(
            `${after.id} is ${after.status} in ${after.holder}, by ${by.name}: ${JSON.stringify(after)}`,
          );
        }
        judge((law) => law.onRun?.(earlier, after));
        return;
      }
      const run = partition.slice('run#'.length);
      if (sort === 'opened') {
        const opened = documentIn<Opened>(value, sort);
        judge((law) => law.onOpened?.(run, opened));
      } else if (sort.startsWith('hook#')) {
        const decision = documentIn<KeptDecision>(value, sort);
        judge((law) => law.onDecision?.(run, decision));
      } else if (sort.startsWith('turn#')) {
        const turn = documentIn<Turn>(value, sort);
        const made = turns.get(run) ?? [];
        turns.set(run, made);
        made.push(turn);
        count += 1;
        const { root, parent } = runs.get(run) ?? {};
        if (root !== undefined && isHeardOf(parent?.run, root))
          claimed.set(root, (claimed.get(root) ?? 0) + (claims.get(turn.answer.text) ?? 0));
        judge((law) => law.onTurn?.(run, turn, by));
      }
    },
    onAsked: (asked: Asked) => judge((law) => law.onAsked?.(asked)),
    onDeed: (by: Invocation, name: string, mark: string) => judge((law) => law.onDeed?.(by, name, mark)),
  };
}

function tokensOf({ inputTokens, outputTokens }: TokenUsage = { inputTokens: 0, outputTokens: 0 }): number {
  return inputTokens + outputTokens;
}

/** What a document has in it. */
function documentIn<T extends object>(value: Json, name: string): T {
  const { inline } = fromStored<{ inline: Json }>(value, name);
  return fromStored<T>(inline, name);
}

/** What is wrong in the end. */
export async function broken(
  { laws, broken: found, isBroken }: Laws,
  account: Account,
  roots: readonly string[],
): Promise<string[]> {
  if (isBroken()) return found;
  for (const law of laws) {
    const wrong = (await law.atRest?.(account, roots)) ?? [];
    found.push(...wrong.map((one) => `${law.says}: ${one}`));
  }
  return found;
}

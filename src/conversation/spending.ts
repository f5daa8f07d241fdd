import {
  closeShare,
  firstLedger,
  missing,
  NO_REFILL,
  refill,
  refilled,
  spending,
  spentBy,
  type Refill,
} from '../budget/shares.ts';
import { tokenizerOf } from '../budget/tokenizer.ts';
import { ConfigError, ModelError } from '../errors.ts';
import type { ModelRequest } from '../models/model.ts';
import type { TokenPrice } from '../pricing/price.ts';
import type { Prices } from '../pricing/prices.ts';
import {
  absorb,
  charge,
  exceededText,
  forfeit,
  free,
  gather,
  give,
  limitBelow,
  MAX_RUNS_PER_TREE,
  NOTHING,
  release,
  reserve,
  type Allowance,
  type Amounts,
  type Ledger,
  type Limit,
} from '../runs/ledger.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Opened, Run, Turn } from '../runs/run.ts';

/**
 * What one turn may spend of its tree's budget. Every tree has a limit of runs; only where it has others does a turn
 * reserve before it is made.
 */
export interface Account {
  run: Run;
  opened: Opened;
  /** As it was read when the turn began. */
  ledger: Ledger | undefined;
  /** The ledger that it begins with, where that was read already. */
  begins?: Ledger | undefined;
  /** What sub-agents have spent that have ended since the turn before. */
  spent: ReadonlyMap<string, Amounts>;
  /** The invocation that makes the turn. */
  owner: string;
}

export interface SpendingPorts {
  store: RunStore;
  prices: Prices;
}

/** What of a turn is known as soon as its answer is there. */
type PaidTurn = Pick<Turn, 'number' | 'answer' | 'nanoUsd'>;

/** Most tokens of one answer where the agent sets none but its tree has a budget: as much as Anthropic's default. */
const DEFAULT_ANSWER_TOKENS = 4096;

/** The ledger of a run as it begins. */
async function beginning({ run, opened, ledger, begins }: Account, store: RunStore): Promise<Ledger> {
  return ledger ?? begins ?? firstLedger(run, limitsOf(opened), store);
}

/** The same, where a turn reserves: to be read with all else that it reads. */
export async function beginningOfBudget(account: Account, store: RunStore): Promise<Ledger | undefined> {
  return account.opened.budget === undefined ? undefined : beginning(account, store);
}

function limitsOf({ budget }: Opened): Allowance {
  return { ...budget, runs: MAX_RUNS_PER_TREE };
}

/** What its sub-agents have spent, where a turn reserves: it is counted in the same write. */
export async function spentBefore(
  { budget }: Opened,
  ledger: Ledger | undefined,
  store: RunStore,
): Promise<ReadonlyMap<string, Amounts>> {
  return budget === undefined ? new Map() : spentBy(ledger, store);
}

export interface Reserved {
  /** The most tokens that the answer may take; 0: no limit is sent. */
  maxTokens: number;
  /** The ledger as it is now. */
  ledger: Ledger | undefined;
  /** Whether another invocation had reserved for this turn, and may have made it. */
  wasReserved: boolean;
}

/**
 * Reserves what a turn can cost at most, with an answer as long as the agent wants or the budget allows. A sub-agent
 * that is short asks for more before it makes do with less.
 * @param count what the prompt comes to at most by the provider's own count, which is asked for where an estimate is in
 *   the way
 * @returns what was reserved, or which limit is in the way
 */
export async function reserveTurn(
  account: Account,
  number: number,
  request: ModelRequest,
  turns: readonly Turn[],
  { store, prices }: SpendingPorts,
  count: () => Promise<number | undefined>,
): Promise<Reserved | { exceeded: string }> {
  const { run, opened, spent, owner } = account;
  const { budget } = opened;
  if (budget === undefined) {
    return { maxTokens: request.maxTokens, ledger: account.ledger, wasReserved: false };
  }
  const bounded = budget.tokens !== undefined || budget.nanoUsd !== undefined;
  const wanted = bounded ? request.maxTokens || DEFAULT_ANSWER_TOKENS : request.maxTokens;
  const counted = countedBefore(turns);
  // Its lists of fragments are large, and most runs have no budget.
  const { promptTokensAtMost } = await import('../budget/estimate.ts');
  const estimate = promptTokensAtMost(request, tokenizerOf(opened.model), counted);
  const priceOf = (prompt: number) =>
    prices.tokenPrice(opened.model, prompt) ?? unpriced(opened.model, budget.nanoUsd);
  const costOf = (prompt: number, maxTokens: number): Amounts => {
    const { input, output } = priceOf(prompt);
    return {
      ...NOTHING,
      tokens: prompt + maxTokens,
      nanoUsd: prompt * input + maxTokens * output,
      turns: 1,
    };
  };
  /** Tokens of the answer that there is room for. */
  const roomFor = (prompt: number, left: Amounts) => {
    const { input, output } = priceOf(prompt);
    const paid = output === 0 ? Infinity : Math.floor((left.nanoUsd - prompt * input) / output);
    return Math.min(wanted, left.tokens - prompt, paid);
  };
  const first = await beginning(account, store);
  /**
   * @param least how long the answer has to be able to be
   * @param more what the run may count on besides
   */
  const attempt = (prompt: number, least: number, more: Refill) =>
    store.changeLedger(
      run.id,
      (kept) => {
        const open = refilled(absorb(gather(kept ?? first, spent)), more);
        const left = free(open);
        const room = roomFor(prompt, left);
        // Where not even one token is affordable, that one token is what is refused.
        const maxTokens = Math.max(bounded ? 1 : 0, room);
        const limit = limitBelow(left, costOf(prompt, maxTokens));
        if (limit !== undefined || room < least) {
          const refused = {
            limit: limit ?? 'tokens',
            short: missing(costOf(prompt, wanted), left),
            room,
            open,
          };
          return { ledger: more === NO_REFILL ? kept : open, refused };
        }
        const ledger = reserve(open, { turn: number, owner, amounts: costOf(prompt, maxTokens) });
        return { ledger, maxTokens, wasReserved: kept?.reserved !== undefined };
      },
      account,
    );
  let prompt = estimate;
  let made = await attempt(prompt, wanted, NO_REFILL);
  if (made.refused !== undefined) {
    const { open, short } = made.refused;
    const more = await refill(run, open, short, limitsOf(opened), store);
    // An estimate that takes more of the room than it leaves is worth a count by the provider itself.
    made = await attempt(prompt, Math.min(wanted, estimate - (counted?.tokens ?? 0)), more);
  }
  if (made.refused !== undefined) {
    prompt = Math.min(estimate, (await count()) ?? estimate);
    made = await attempt(prompt, -Infinity, NO_REFILL);
  }
  if (made.refused === undefined) return made;
  const { limit } = made.refused;
  return { exceeded: await refusal(limit, run, budget, store, costOf(prompt, wanted)[limit]) };
}

async function refusal(
  limit: Limit,
  { root }: Run,
  budget: Allowance,
  store: RunStore,
  next?: number,
): Promise<string> {
  const spent = await spending(root, limit, store);
  return exceededText({ limit, ...spent, max: budget[limit] ?? 0, ...(next !== undefined && { next }) });
}

/** Without a price tokens are counted and dollars are not; a limit of dollars could then not be held. */
function unpriced(model: string, maxNanoUsd: number | undefined): TokenPrice {
  if (maxNanoUsd === undefined) return { input: 0, output: 0 };
  throw new ConfigError(
    `max_usd cannot be enforced: the price of "${model}" is not known; set [prices."${model}"] in config.toml, or limit tokens`,
  );
}

/**
 * Puts what a turn did cost in place of its reservation and, in the same write, hands a share of what is left to each
 * run that its calls ask for, as far as the tree has room for them.
 * @returns for how many of the runs there is room, and which limit stands in the way of its calls, if any
 */
export async function chargeTurn(
  account: Account,
  turn: PaidTurn,
  runs: readonly string[],
  { store }: SpendingPorts,
): Promise<{ granted: number; exceeded?: string }> {
  const { run, opened, spent, owner } = account;
  const { budget } = opened;
  if (budget === undefined && runs.length === 0) return { granted: 0 };
  const first = await beginning(account, store);
  const handOn = (more: Refill, from: number) =>
    store.changeLedger(
      run.id,
      (kept) => {
        const open = refilled(gather(kept ?? first, spent), more);
        const charged = budget === undefined ? open : charge(open, turn.number, owner, costOfTurn(turn));
        return give(charged, charged.refused === turn.number ? [] : runs.slice(from));
      },
      more === NO_REFILL ? account : undefined,
    );
  const { granted, ledger: charged } = await handOn(NO_REFILL, 0);
  if (budget !== undefined && charged.refused === turn.number) {
    return { granted, exceeded: await refusal('toolCalls', run, budget, store) };
  }
  const short = runs.length - granted;
  if (short === 0) return { granted };
  const more = await refill(run, charged, { ...NOTHING, runs: short }, limitsOf(opened), store);
  return { granted: granted + (await handOn(more, granted)).granted };
}

/** Makes sure that a turn which is kept was charged. @returns which limit stands in the way of its calls, if any */
export async function settleTurn(
  account: Account,
  turn: PaidTurn,
  { store }: { store: RunStore },
): Promise<string | undefined> {
  const { run, opened } = account;
  const { budget } = opened;
  if (budget === undefined) return undefined;
  const settled = await store.changeLedger(
    run.id,
    (kept) => ({ ledger: kept && charge(kept, turn.number, undefined, costOfTurn(turn)) }),
    account,
  );
  return settled.ledger?.refused === turn.number ? refusal('toolCalls', run, budget, store) : undefined;
}

/** Gives back what this invocation reserved for a turn that was not made. */
export async function returnReservation(account: Account, store: RunStore): Promise<void> {
  const { run, opened, owner } = account;
  if (opened.budget === undefined) return;
  await store.changeLedger(run.id, (kept) => ({ ledger: kept && release(kept, owner) }), account);
}

/**
 * Settles what was reserved for a call of the model that failed: it is given back, but for an answer that was delivered
 * and is of no use, which has to be paid.
 */
export async function chargeFailure(
  thrown: unknown,
  account: Account,
  { store, prices }: SpendingPorts,
): Promise<void> {
  const { run, opened, owner } = account;
  const spent = thrown instanceof ModelError ? thrown.details.spent : undefined;
  if (spent === undefined || opened.budget === undefined) return returnReservation(account, store);
  const cost =
    spent === 'unknown'
      ? undefined
      : {
          ...NOTHING,
          tokens: spent.inputTokens + spent.outputTokens,
          nanoUsd: prices.costOf(opened.model, spent) ?? 0,
        };
  await store.changeLedger(run.id, (kept) => ({ ledger: kept && forfeit(kept, owner, cost) }), account);
}

/**
 * Closes the account of a run that was ended from outside: what was reserved for a turn under way counts as spent, since
 * its answer may be paid. The ledger at the top never closes.
 */
export async function closeAccount(run: Run, opened: Opened | undefined, store: RunStore): Promise<void> {
  if (opened?.budget === undefined) return;
  if (run.parent !== undefined) await closeShare(run.id, store);
  else await store.changeLedger(run.id, (kept) => ({ ledger: kept && absorb(kept) }));
}

function costOfTurn({ answer, nanoUsd = 0 }: PaidTurn): Amounts {
  const { inputTokens, outputTokens } = answer.usage;
  return {
    ...NOTHING,
    tokens: inputTokens + outputTokens,
    nanoUsd,
    turns: 1,
    toolCalls: answer.calls.length,
  };
}

function countedBefore(turns: readonly Turn[]) {
  const last = turns.at(-1);
  if (last === undefined) return undefined;
  const { inputTokens, outputTokens } = last.answer.usage;
  // What was sent for it, and the answer itself.
  return { tokens: inputTokens + outputTokens, messages: last.messages + 1 };
}

import {
  charge,
  exceededText,
  left,
  openReservations,
  release,
  reserve,
  settle,
  type Amounts,
  type Exceeded,
  type Ledger,
} from '../runs/ledger.ts';
import { promptTokensAtMost } from '../budget/estimate.ts';
import { tokenizerOf } from '../budget/tokenizer.ts';
import { ConfigError, ModelError } from '../errors.ts';
import type { ModelRequest } from '../models/model.ts';
import type { TokenUsage } from '../runs/message.ts';
import type { TokenPrice } from '../pricing/price.ts';
import type { Prices } from '../pricing/prices.ts';
import type { Ledgers } from '../runs/ports.ts';
import type { Opened, Turn } from '../runs/run.ts';

/**
 * What one turn may spend of its tree's budget. A tree without a budget has no ledger, and nothing is asked.
 */

export interface SpendingPorts {
  store: Ledgers;
  prices: Prices;
}

/** What of a turn is known as soon as its answer is there. */
type PaidTurn = Pick<Turn, 'number' | 'answer' | 'nanoUsd'>;

/** Most tokens of one answer where the agent sets none but its tree has a budget: as much as Anthropic's default. */
const DEFAULT_ANSWER_TOKENS = 4096;

/**
 * Reserves what a turn can cost at most, with an answer as long as the agent wants or the budget allows.
 * @param count what the prompt comes to at most by the provider's own count, which is asked for where an estimate is in
 *   the way: it leaves no room for the answer that is wanted, and is itself larger than the room it leaves
 * @returns the most tokens that the answer may take (0: no limit is sent), or which limit is in the way
 */
export async function reserveTurn(
  run: string,
  number: number,
  request: ModelRequest,
  turns: readonly Turn[],
  opened: Opened,
  { store, prices }: SpendingPorts,
  count: () => Promise<number | undefined>,
): Promise<{ maxTokens: number } | { exceeded: string }> {
  if (opened.budget === undefined) return { maxTokens: request.maxTokens };
  const { tokens, nanoUsd } = opened.budget;
  const bounded = tokens > 0 || nanoUsd > 0;
  const wanted = bounded ? request.maxTokens || DEFAULT_ANSWER_TOKENS : request.maxTokens;
  const counted = countedBefore(turns);
  const estimate = promptTokensAtMost(request, tokenizerOf(opened.model), counted);
  const guessed = estimate - (counted?.tokens ?? 0);

  const priceOf = (prompt: number) =>
    prices.tokenPrice(opened.model, prompt) ?? unpriced(opened.model, nanoUsd);
  /** Tokens of the answer that there is room for. */
  function roomIn(ledger: Ledger, prompt: number): number {
    const price = priceOf(prompt);
    const free = left(ledger, run, number);
    const affordable = Math.floor((free.nanoUsd - prompt * price.input) / price.output);
    return Math.min(wanted, free.tokens - prompt, price.output === 0 ? Infinity : affordable);
  }
  function reserveIn(ledger: Ledger, prompt: number) {
    const price = priceOf(prompt);
    const costWith = (answer: number): Amounts => ({
      tokens: prompt + answer,
      nanoUsd: prompt * price.input + answer * price.output,
      turns: 1,
      toolCalls: 0,
    });
    // Where not even one token is affordable, that one token is what the ledger refuses.
    const maxTokens = Math.max(bounded ? 1 : 0, roomIn(ledger, prompt));
    const reserved = reserve(ledger, run, number, costWith(maxTokens));
    if ('ledger' in reserved) return { ledger: reserved.ledger, outcome: { maxTokens } };
    const { exceeded } = reserved;
    const text = exceededText({ ...exceeded, next: costWith(wanted)[exceeded.limit] });
    return { ledger, outcome: { exceeded: text } };
  }

  const estimated = await store.changeLedger(run, (ledger) =>
    roomIn(ledger, estimate) < Math.min(wanted, guessed) ? { ledger } : reserveIn(ledger, estimate),
  );
  if ('outcome' in estimated) return estimated.outcome;
  const prompt = Math.min(estimate, (await count()) ?? estimate);
  return (await store.changeLedger(run, (ledger) => reserveIn(ledger, prompt))).outcome;
}

/** Without a price tokens are counted and dollars are not; a limit of dollars could then not be held. */
function unpriced(model: string, maxNanoUsd: number): TokenPrice {
  if (maxNanoUsd === 0) return { input: 0, output: 0 };
  throw new ConfigError(
    `max_usd cannot be held: the price of "${model}" is not known; set [prices."${model}"] in config.toml, or limit tokens`,
  );
}

/** Puts what a turn did cost in place of its reservation. @returns which limit stands in the way of its calls, if any */
export async function settleTurn(
  run: string,
  turn: PaidTurn,
  opened: Opened,
  ports: { store: Ledgers },
): Promise<string | undefined> {
  if (opened.budget === undefined) return undefined;
  const cost = costOfTurn(turn);
  const { exceeded }: { exceeded?: Exceeded } = await ports.store.changeLedger(run, (ledger) =>
    settle(ledger, run, turn.number, cost),
  );
  return exceeded === undefined ? undefined : exceededText(exceeded);
}

/**
 * Settles what was reserved for a call of the model that failed: it is given back, but for an answer that was delivered
 * and is of no use, which has to be paid.
 */
export async function chargeFailure(
  thrown: unknown,
  run: string,
  number: number,
  opened: Opened,
  { store, prices }: SpendingPorts,
): Promise<void> {
  if (opened.budget === undefined) return;
  const spent = thrown instanceof ModelError ? thrown.details.spent : undefined;
  await store.changeLedger(run, (ledger) => {
    if (spent === undefined) return { ledger: release(ledger, run, number) };
    return { ledger: charge(ledger, run, number, spent === 'unknown' ? spent : costOf(spent)) };
  });

  function costOf(usage: TokenUsage) {
    const { inputTokens, outputTokens } = usage;
    return { tokens: inputTokens + outputTokens, nanoUsd: prices.costOf(opened.model, usage) ?? 0 };
  }
}

/** Closes what a run that was ended from outside left open: turns that are kept are paid, the others were not made. */
export async function closeReservations(
  run: string,
  turns: readonly Turn[],
  opened: Opened | undefined,
  ports: { store: Ledgers },
): Promise<void> {
  if (opened?.budget === undefined) return;
  await ports.store.changeLedger(run, (ledger) => ({
    ledger: openReservations(ledger, run).reduce((closing, number) => {
      const turn = turns.find((kept) => kept.number === number);
      if (turn === undefined) return release(closing, run, number);
      return settle(closing, run, number, costOfTurn(turn)).ledger;
    }, ledger),
  }));
}

function costOfTurn({ answer, nanoUsd = 0 }: PaidTurn): Amounts {
  const { inputTokens, outputTokens } = answer.usage;
  return { tokens: inputTokens + outputTokens, nanoUsd, turns: 1, toolCalls: answer.calls.length };
}

function countedBefore(turns: readonly Turn[]) {
  const last = turns.at(-1);
  if (last === undefined) return undefined;
  const { inputTokens, outputTokens } = last.answer.usage;
  // A user's message first, then an answer and its results for each turn.
  return { tokens: inputTokens + outputTokens, messages: 2 * turns.length };
}

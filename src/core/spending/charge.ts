import { SHORTEST_ANSWER_TOKENS } from './call-cost.ts';
import { NO_REFILL, refilled, type Refill } from './refill.ts';
import { charge, free, give, giveBack } from '../records/ledger.ts';
import { add, amounts, EVERYTHING, isNothing, missing, NOTHING } from '../records/amounts.ts';
import { costOfCalls } from '../records/message.ts';
import { callsAtOnce } from '../records/plan.ts';
import { isFinal, type Turn } from '../records/turn.ts';
import { beginning, MAX_ROUNDS, paidFor, type Account, type SpendingPorts } from './spending.ts';

/** The part of a turn that is known as soon as its answer arrives. */
type PaidTurn = Pick<Turn, 'number' | 'answer' | 'faults' | 'nanoUsd' | 'received'>;

/** What a turn may do once it is charged. */
export interface Charged {
  /** How many of the runs there is room for. */
  granted: number;
  /** The limit that stands in the way of the calls, if any. */
  exceeded?: string;
}

/**
 * Replaces a turn's reservation with its actual cost and, in the same write, hands a share of the rest to each run that
 * its calls start, as long as the tree has room for them. Calls beyond the limit of calls are refused and not counted.
 */
export async function chargeTurn(
  account: Account,
  turn: PaidTurn,
  runs: readonly string[],
  ports: SpendingPorts,
): Promise<Charged> {
  const { store, prices } = ports;
  const { run, opened, gathered = NO_REFILL, owner } = account;
  const { budget } = opened;
  const { usage } = turn.answer;
  const ofCalls = costOfCalls(turn.received);
  const counted = paidFor(usage, turn.nanoUsd && turn.nanoUsd - ofCalls);
  const first = await beginning(account, store);
  const calls = { ...NOTHING, toolCalls: turn.answer.calls.length };
  // Once a sub-agent has its answer, its parent finds the rest without a write.
  const isSub = budget !== undefined && run.parent !== undefined;
  // Sub-agents may have prompts like this one, whose tokens the provider has counted.
  const short = { inputTokens: usage.inputTokens, outputTokens: SHORTEST_ANSWER_TOKENS };
  const leastShare = { ...paidFor(short, prices.costOf(opened.model, short)), turns: 1 };
  const atOnce = callsAtOnce(opened.delegation);
  const attempt = (more: Refill, isLast: boolean) =>
    store.changeLedger(
      run.id,
      (kept) => {
        const before = refilled(refilled(kept ?? first, gathered), more);
        const reserved = usage.isEstimate ? before.reserved[owner]?.amounts : undefined;
        // What nobody counted costs no less than what was reserved.
        const cost = amounts((limit) => Math.max(counted[limit], reserved?.[limit] ?? 0));
        // Each answer of a turn is paid for, and the calls that it is told of once.
        if (before.settled < turn.number) cost.nanoUsd += ofCalls;
        const charged = charge(before, owner, cost);
        // If it was charged before and only the acknowledgement was lost, its calls are counted already.
        const wanted = charged === before ? NOTHING : calls;
        const left = free(charged);
        const isNew = (one: string) => charged.shares[one] === undefined;
        const begun = runs.filter(isNew).length;
        // Under limits per day a ledger holds little in advance. Each of the started runs, and this one, may soon
        // reserve as much as this turn has, and would come for it.
        const isAhead = budget?.perDay !== undefined && begun > 0;
        const next = before.reserved[owner]?.amounts.nanoUsd ?? 0;
        const ahead = isAhead ? (1 + Math.min(begun, atOnce)) * next : 0;
        const short = missing({ ...wanted, runs: begun, nanoUsd: ahead }, left);
        if (!isLast && !isNothing(short)) return { ledger: kept, granted: 0, short, exceeds: false, charged };
        const exceeds = short.toolCalls > 0;
        // A turn that is no longer the newest hands nothing on.
        const isOver = charged.settled > turn.number;
        const paid = exceeds ? charged : { ...charged, used: add(charged.used, wanted) };
        const { ledger, granted } = give(paid, exceeds || isOver ? [] : runs, leastShare, atOnce);
        return {
          ledger: isSub && (exceeds || isFinal(turn)) ? giveBack(ledger, EVERYTHING) : ledger,
          granted,
          short: NOTHING,
          exceeds,
          charged,
        };
      },
      more === NO_REFILL ? account : undefined,
    );
  let more = NO_REFILL;
  let made = await attempt(more, false);
  for (let rounds = 0; !isNothing(made.short) && rounds < MAX_ROUNDS; rounds++) {
    const shortage = { wanted: made.short, needed: { ...made.short, nanoUsd: 0 }, left: NOTHING };
    const { refill } = await import('./shares.ts');
    more = await refill(run, made.charged, shortage, ports);
    made = await attempt(more, false);
    if (!more.hasFound) break;
  }
  const { granted, exceeds } = isNothing(made.short) ? made : await attempt(more, true);
  if (budget === undefined || !exceeds) return { granted };
  const { limitsNow, refusal, spending } = await import('./refusal.ts');
  const limits = await limitsNow(run.root, budget, undefined, store);
  return { granted, exceeded: refusal(await spending(run.root, store), limits, ['toolCalls']) };
}

import { callCost, SHORTEST_ANSWER_TOKENS } from './call-cost.ts';
import { mostSearches } from '../model/searches.ts';
import { NO_REFILL, refilled, type Refill } from './refill.ts';
import { tokenizerOf } from './tokenizer.ts';
import type { ModelRequest } from '../model/model.ts';
import { free, isBegun, release, reserve, type Ledger } from '../records/ledger.ts';
import { add, amounts, limitsBelow, missing, type Amounts, type Limit } from '../records/amounts.ts';
import type { TreeBudget } from '../records/allotment.ts';
import type { RunStore } from '../records/ports.ts';
import type { DayRefusal } from './allot.ts';
import { branchOf, type Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { beginning, MAX_ROUNDS, type Account, type SpendingPorts } from './spending.ts';
import { loadOnce } from '../../load-once.ts';

export interface Reserved {
  /** The most tokens that the answer may take; 0: no limit is sent. */
  maxTokens: number;
  /** As it is after the reservation. */
  ledger: Ledger | undefined;
  /** Whether another invocation is making this turn, or has made it. */
  isBegun: boolean;
}

/**
 * Reserves the most that a turn can cost, of a run with a budget, with an answer as long as the agent wants or the budget
 * allows. A run that is short looks for more in its tree before it settles for less. The same write counts the amounts
 * that sub-agents have given back.
 * @param count asks the provider to count the prompt, which is done only if the estimate does not fit
 * @returns the reservation; or which limit stands in the way, and whether runs or another invocation at work hold the rest of it
 */
export async function reserveTurn(
  account: Account,
  turn: number,
  request: ModelRequest,
  turns: readonly Turn[],
  ports: SpendingPorts,
  count: () => Promise<number | undefined>,
): Promise<Reserved | { exceeded: string; isReserved: boolean }> {
  const { store, prices } = ports;
  const { run, opened, gathered = NO_REFILL, owner } = account;
  const { budget = {} } = opened;
  const searches = mostSearches(request.tools);
  const cost = callCost(opened.model, request.maxTokens, budget, prices, searches, request.service);
  const first = await beginning(account, store);

  let known: { ledger: Ledger | undefined } = account;

  /** @param least the fewest tokens that the answer must have room for */
  const attempt = async (prompt: number, least: number, more: Refill, isLast = false) => {
    const made = await store.changeLedger(
      run.id,
      (kept) => {
        const before = release(refilled(refilled(kept ?? first, gathered), more), owner);
        const left = free(before, turn);
        const room = cost.room(prompt, left);
        // If not even the least is affordable, that amount is refused.
        const maxTokens = Math.max(cost.least, room);
        const amounts = cost.of(prompt, maxTokens);
        const tooLow = limitsBelow(left, amounts);
        const shortest = cost.of(prompt, Math.min(cost.wanted, SHORTEST_ANSWER_TOKENS));
        if (tooLow.length > 0 || room < least) {
          const short = {
            wanted: missing(cost.of(prompt, cost.wanted), left),
            needed: missing(shortest, left),
            left: shortest,
          };
          const refused = { tooLow, before, short, room };
          // A share is reserved for this run until it is copied; after that, others can find it.
          return { ledger: isLast ? before : (kept ?? first), refused };
        }
        const ledger = reserve(before, owner, { turn, amounts: { ...amounts, turns: 0 } });
        return { ledger, maxTokens, isBegun: isBegun(before, turn) };
      },
      known,
    );
    known = { ledger: made.ledger };
    return made;
  };

  const { promptTokensAtMost } = await loadEstimate();
  const counted = countedBefore(turns);
  const estimate = promptTokensAtMost(request, tokenizerOf(opened.model), counted);
  let prompt = estimate;
  let made = await attempt(prompt, cost.wanted, NO_REFILL);
  let more = NO_REFILL;
  for (let rounds = 0; made.refused !== undefined && rounds < MAX_ROUNDS; rounds++) {
    const { refill } = await import('./shares.ts');
    more = await refill(run, made.refused.before, made.refused.short, ports);
    // If the estimate takes up more of the room than it leaves, asking the provider for a count is worth it.
    made = await attempt(prompt, Math.min(cost.wanted, estimate - (counted?.tokens ?? 0)), more);
    if (!more.hasFound || (made.refused !== undefined && made.refused.room >= cost.least)) break;
  }
  if (made.refused !== undefined) {
    prompt = Math.min(estimate, (await count()) ?? estimate);
    made = await attempt(prompt, -Infinity, more, true);
  }
  if (made.refused === undefined) return made;
  const refused = { ...made.refused, perDay: more.refused };
  const exceeded = await whyRefused(run, budget, refused, cost.of(prompt, cost.wanted), store);
  // Another invocation may be making the same turn, and its answer may be all that the budget allows, and all that is
  // needed.
  return isBegun(made.refused.before, turn) ? { ...exceeded, isReserved: true } : exceeded;
}

/** Loaded late: its lists of fragments are large, and most runs have no budget. */
const loadEstimate = loadOnce(() => import('./estimate.ts'));

/**
 * Which limit prevents a turn, and whether runs at work hold what is left of it.
 * @param wanted what the turn would have cost
 */
async function whyRefused(
  run: Run,
  budget: TreeBudget,
  { tooLow, short, perDay }: { tooLow: Limit[]; short: { left: Amounts }; perDay: DayRefusal | undefined },
  wanted: Amounts,
  store: RunStore,
): Promise<{ exceeded: string; isReserved: boolean }> {
  const { dayRefusal, limitsNow, refusal, spending } = await import('./refusal.ts');
  const limits = await limitsNow(run.root, budget, perDay, store);
  const spent = await spending(run.root, store);
  const tooLowBeside = (gone: Amounts) =>
    limitsBelow(
      amounts((limit) => (limits[limit] ?? Infinity) - gone[limit]),
      short.left,
    );
  const spentUp = tooLowBeside(spent.used);
  const inTheWay = spentUp.length > 0 ? spentUp : tooLow;
  const exceeded =
    perDay !== undefined && inTheWay.includes('nanoUsd')
      ? dayRefusal(perDay, wanted.nanoUsd)
      : refusal(spent, limits, inTheWay, wanted);
  // An amount that is neither spent nor reserved is moving between two ledgers, or was released a moment ago.
  const isNear = tooLowBeside(add(spent.used, spent.reserved)).length === 0;
  const isReserved = isNear || (spentUp.length === 0 && (await areOthersAtWork(run, store)));
  return { exceeded, isReserved };
}

/** Whether any run can give back what it has reserved. The runs above this one only wait for it. */
async function areOthersAtWork(run: Run, store: RunStore): Promise<boolean> {
  const tree = await store.tree(run.id);
  return tree.some((other) => other.status === 'running' && branchOf(other, [run]).length === 0);
}

function countedBefore(turns: readonly Turn[]) {
  const last = turns.at(-1);
  if (last === undefined) return undefined;
  const { inputTokens, outputTokens, isEstimate } = last.answer.usage;
  if (isEstimate) return undefined;
  // Its prompt, and the answer itself.
  return { tokens: inputTokens + outputTokens, messages: last.messages + 1 };
}

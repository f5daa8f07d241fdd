import { callCost } from '../budget/call-cost.ts';
import { NO_REFILL, refill, refilled, type Refill } from '../budget/shares.ts';
import { tokenizerOf } from '../budget/tokenizer.ts';
import type { ModelRequest } from '../models/model.ts';
import { free, isBegun, limitBelow, missing, release, reserve, type Ledger } from '../runs/ledger.ts';
import type { Turn } from '../runs/run.ts';
import { beginning, refusal, type Account, type SpendingPorts } from './spending.ts';

export interface Reserved {
  /** The most tokens that the answer may take; 0: no limit is sent. */
  maxTokens: number;
  /** As it is now. */
  ledger: Ledger | undefined;
  /** Whether another invocation is at this turn, or has made it. */
  isBegun: boolean;
}

/**
 * Reserves what a turn can cost at most, with an answer as long as the agent wants or the budget allows. A run that is
 * short looks for more in its tree before it makes do with less. What sub-agents have given back is counted in the same
 * write.
 * @param count what the prompt comes to at most by the provider's own count, which is asked for where an estimate is in
 *   the way
 * @returns what was reserved, or which limit is in the way
 */
export async function reserveTurn(
  account: Account,
  turn: number,
  request: ModelRequest,
  turns: readonly Turn[],
  { store, prices }: SpendingPorts,
  count: () => Promise<number | undefined>,
): Promise<Reserved | { exceeded: string }> {
  const { run, opened, gathered, owner } = account;
  const { budget } = opened;
  if (budget === undefined) return { maxTokens: request.maxTokens, ledger: account.ledger, isBegun: false };
  const cost = callCost(opened.model, request.maxTokens, budget, prices);
  const first = await beginning(account, store);

  /** @param least how long the answer has to be able to be */
  const attempt = (prompt: number, least: number, more: Refill) =>
    store.changeLedger(
      run.id,
      (kept) => {
        const before = release(refilled(refilled(kept ?? first, gathered), more), owner);
        const left = free(before, turn);
        const room = cost.room(prompt, left);
        // Where not even the least is affordable, that is what is refused.
        const maxTokens = Math.max(cost.least, room);
        const amounts = cost.of(prompt, maxTokens);
        const limit = limitBelow(left, amounts);
        if (limit !== undefined || room < least) {
          const short = missing(cost.of(prompt, cost.wanted), left);
          return { ledger: kept, refused: { limit: limit ?? 'tokens', before, short } };
        }
        const ledger = reserve(before, owner, { turn, amounts: { ...amounts, turns: 0 } });
        return { ledger, maxTokens, isBegun: isBegun(before, turn) };
      },
      account,
    );

  // Its lists of fragments are large, and most runs have no budget.
  const { promptTokensAtMost } = await import('../budget/estimate.ts');
  const counted = countedBefore(turns);
  const estimate = promptTokensAtMost(request, tokenizerOf(opened.model), counted);
  let prompt = estimate;
  let made = await attempt(prompt, cost.wanted, NO_REFILL);
  if (made.refused !== undefined) {
    const { before, short } = made.refused;
    const more = await refill(run, before, short, store);
    // An estimate that takes more of the room than it leaves is worth a count by the provider itself.
    made = await attempt(prompt, Math.min(cost.wanted, estimate - (counted?.tokens ?? 0)), more);
    if (made.refused !== undefined) {
      prompt = Math.min(estimate, (await count()) ?? estimate);
      made = await attempt(prompt, -Infinity, more);
    }
  }
  if (made.refused === undefined) return made;
  const { limit } = made.refused;
  return { exceeded: await refusal(limit, run, budget, store, cost.of(prompt, cost.wanted)[limit]) };
}

function countedBefore(turns: readonly Turn[]) {
  const last = turns.at(-1);
  if (last === undefined) return undefined;
  const { inputTokens, outputTokens } = last.answer.usage;
  // What was sent for it, and the answer itself.
  return { tokens: inputTokens + outputTokens, messages: last.messages + 1 };
}

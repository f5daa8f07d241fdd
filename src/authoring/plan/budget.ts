import type { Agent } from '../../core/agent-schema/agent.ts';
import { toNanoUsd } from '../../core/records/nano-usd.ts';
import type { Prices } from '../../core/spending/prices.ts';
import { MAX_CALLS_PER_TURN } from '../../core/tool-contracts/plan-calls.ts';
import { MAX_TURNS } from '../../core/turn/turn.ts';
import { addUse, dearestOf, mapUse, useOf, type PlannedConversation, type Use } from './use.ts';

/** What a tree can come to within the budget of its top: `Infinity` where that limits nothing. */
export interface Within {
  runs: number;
  turns: number;
  /** Of tools and of sub-agents. */
  calls: number;
}

export const UNLIMITED: Within = { runs: Infinity, turns: Infinity, calls: Infinity };

/**
 * The fewest tokens that a turn can have which makes a call, on the side of a plan that is too high: the definition of
 * a tool and an instruction to use it are longer, and so is a call with its name and its arguments.
 */
const LEAST_PROMPT_TOKENS = 100;
const LEAST_CALL_TOKENS = 20;

/**
 * The turns, calls and runs that the limits in `[budget]` leave a tree. Tokens and dollars limit them because none is to
 * be had for nothing; a model that is free, or whose price is not known, is not limited by dollars.
 * @param models all that the tree may ask
 * @param isAllPaid whether all its turns are answered by models: computed ones cost nothing
 */
export function withinBudget(
  { maxTokens, maxUsd, maxTurns, maxToolCalls }: Agent['budget'],
  models: readonly string[],
  isAllPaid: boolean,
  prices: Prices,
): Within {
  const usd = maxUsd === 0 ? Infinity : toNanoUsd(maxUsd);
  const tokens = maxTokens || Infinity;
  const leastOf = (promptTokens: number, outputTokens: number) =>
    Math.min(
      ...models.map((model) => {
        const usage = { inputTokens: promptTokens, cacheReadTokens: promptTokens, outputTokens };
        return prices.costOf(model, usage) ?? 0;
      }),
    );
  const calls = Math.min(
    maxToolCalls || Infinity,
    Math.ceil(tokens / LEAST_CALL_TOKENS),
    Math.ceil(usd / leastOf(0, LEAST_CALL_TOKENS)),
  );
  const paid = Math.min(
    Math.ceil(tokens / (LEAST_PROMPT_TOKENS + LEAST_CALL_TOKENS)),
    Math.ceil(usd / leastOf(LEAST_PROMPT_TOKENS, LEAST_CALL_TOKENS)),
  );
  const turns = Math.min(maxTurns || Infinity, isAllPaid ? paid : Infinity);
  // All but the top are called, and each has a turn.
  const runs = Math.min(calls + 1, turns);
  const most = Math.min(turns, MAX_TURNS * runs);
  return { runs, turns: most, calls: Math.min(calls, MAX_CALLS_PER_TURN * most) };
}

/** The use of a conversation by what it is for: beginning it, its turns, and its calls. */
export interface Parts {
  run: Use;
  turn: Use;
  call: Use;
}

/** @param use of the whole conversation */
export function partsOf(conversation: PlannedConversation, use: Use): Parts {
  const { turns, calls, toolCalls, rests = 0 } = conversation;
  const silent = {
    ...conversation,
    calls: 0,
    failed: 0,
    leafCalls: 0,
    toolCalls: 0,
    approvals: 0,
    readOfDerived: 0,
  };
  const all = useOf({ ...silent, turns, rests });
  const made = Math.max(1, calls + toolCalls);
  return {
    run: useOf({ ...silent, turns: 1, rests: Math.min(rests, 1) }),
    turn: mapUse((key) => all[key] / turns),
    call: mapUse((key) => (use[key] - all[key]) / made),
  };
}

/** The use, as far as it is possible with so many runs, turns and calls, each of which may be the dearest. */
export function boundUse(use: Use, parts: readonly Parts[], { runs, turns, calls }: Within): Use {
  const times = (part: keyof Parts, count: number) => {
    const dearest = dearestOf(parts.map((each) => each[part]));
    // Nothing times infinity is nothing.
    return mapUse((key) => (dearest[key] === 0 ? 0 : Math.ceil(dearest[key] * count)));
  };
  const most = addUse(addUse(times('run', runs), times('turn', turns)), times('call', calls));
  const counts: Partial<Use> = { executions: runs, turns, calls, toolCalls: calls };
  return mapUse((key) => Math.min(use[key], most[key], counts[key] ?? Infinity));
}

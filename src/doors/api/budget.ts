import type * as v from 'valibot';
import { toAllowance } from '../../places/run-request.ts';
import { budgetIn } from '../../core/records/allotment.ts';
import type { Allowance } from '../../core/records/amounts.ts';
import type { Run } from '../../core/records/run.ts';
import type { ApiContext } from './context.ts';
import type { Budget } from './answers.ts';
import type { AddBudget } from './steering-bodies.ts';

/** The budget of a run's tree, with all additions; undefined if it has no limit. */
export async function budgetOf(
  { root }: Run,
  { environment }: Pick<ApiContext, 'environment'>,
): Promise<Budget | undefined> {
  const { records } = environment;
  // A tree has a ledger as soon as anything was spent or added.
  const ledger = await records.ledger(root);
  const limits = ledger === undefined ? ((await records.opened(root))?.budget ?? {}) : budgetIn(ledger);
  const budget = toBudget(limits);
  return Object.keys(budget).length > 0 ? budget : undefined;
}

/**
 * Adds to the budget of a run's tree.
 * @param by the caller, for the record
 * @returns the budget now
 * @throws {ConfigError} if it has no such limit
 */
export async function giveBudget(
  run: Run,
  { max_tokens: maxTokens, max_usd: maxUsd }: v.InferOutput<typeof AddBudget>,
  context: ApiContext,
  by: string | undefined,
): Promise<Budget> {
  await context.environment.addBudget(run.root, toAllowance({ maxTokens, maxUsd }), by);
  return (await budgetOf(run, context)) ?? {};
}

function toBudget({ tokens, nanoUsd, turns, toolCalls }: Allowance): Budget {
  return {
    ...(tokens !== undefined && { max_tokens: tokens }),
    ...(nanoUsd !== undefined && { max_usd: nanoUsd / 1e9 }),
    ...(turns !== undefined && { max_turns: turns }),
    ...(toolCalls !== undefined && { max_tool_calls: toolCalls }),
  };
}

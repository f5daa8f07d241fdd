import { seconds } from '../../core/records/times.ts';
import type { Agent } from '../../core/agent-schema/agent.ts';
import { usualTimeout } from '../../core/records/deadline.ts';
import type { Amounts } from '../../core/records/amounts.ts';
import { toNanoUsd } from '../../core/records/nano-usd.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { badField } from './problem.ts';
import type { StartRun } from './request-bodies.ts';

/**
 * The request that a body makes; the same body always makes the same request, key by key. A caller may lower limits,
 * and set those that the agent leaves open.
 * @param models those that a caller may choose beside the agent's own
 * @throws {Problem} 400 for a limit above the one that holds anyway, or another model
 */
export function toRequest(name: string, body: StartRun, agent: Agent, models: readonly string[]): RunRequest {
  const { prompt, context, model, timeout, budget = {}, tags } = body;
  const own = agent.budget;
  checkModel(model, agent, models);
  checkTimeout(timeout, agent);
  checkLimit('budget.max_tokens', budget.max_tokens, own.maxTokens);
  checkLimit('budget.max_usd', budget.max_usd, own.maxUsd);
  checkLimit('budget.max_turns', budget.max_turns, own.maxTurns);
  checkLimit('budget.max_tool_calls', budget.max_tool_calls, own.maxToolCalls);
  const limits: Partial<Amounts> = {
    ...(budget.max_tokens !== undefined && { tokens: budget.max_tokens }),
    ...(budget.max_usd !== undefined && { nanoUsd: toNanoUsd(budget.max_usd) }),
    ...(budget.max_turns !== undefined && { turns: budget.max_turns }),
    ...(budget.max_tool_calls !== undefined && { toolCalls: budget.max_tool_calls }),
  };
  return {
    agent: name,
    ...(prompt !== undefined && { prompt }),
    ...(context !== undefined && { context }),
    ...(tags !== undefined && { tags }),
    overrides: {
      ...(model !== undefined && { model }),
      ...(timeout !== undefined && { timeout: seconds(timeout) }),
      ...(Object.keys(limits).length > 0 && { budget: limits }),
    },
  };
}

/**
 * @param asked seconds for a run
 * @throws {Problem} 400 if that is more than the agent has
 */
export function checkTimeout(asked: number | undefined, agent: Agent): void {
  if (agent.timeout > 0) checkLimit('timeout', asked, agent.timeout);
  else
    checkLimit('timeout', asked, usualTimeout(agent.params.service), 'the default for agents that set none');
}

/**
 * @param models those that a caller may choose beside the agent's own
 * @throws {Problem} 400 for another one
 */
export function checkModel(asked: string | undefined, { model }: Agent, models: readonly string[]): void {
  const allowed = new Set([model, ...models]);
  if (asked === undefined || allowed.has(asked)) return;
  throw badField('model', `must be ${[...allowed].join(' or ')}; it is ${asked}`);
}

/** @param own 0 where there is no limit */
function checkLimit(field: string, asked: number | undefined, own: number, whose = "the agent's own"): void {
  if (asked === undefined || own === 0 || asked <= own) return;
  throw badField(field, `must be at most ${own}, ${whose}; it is ${asked}`);
}

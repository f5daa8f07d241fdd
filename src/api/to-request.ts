import type { Agent } from '../agent/agent.ts';
import type { Amounts } from '../runs/ledger.ts';
import type { RunRequest } from '../runs/run.ts';
import { badField } from './problem.ts';
import type { StartRun } from './schemas.ts';

/**
 * What is asked for with a body. The same body makes the same request, key by key. A caller may lower the limits that
 * an agent sets for itself, and set those that it leaves open.
 * @throws {Problem} 400 for a limit that is above the agent's own
 */
export function toRequest(name: string, body: StartRun, agent: Agent): RunRequest {
  const { prompt, context, model, timeout, budget = {} } = body;
  const own = agent.budget;
  checkLimit('timeout', timeout, agent.timeout);
  checkLimit('budget.max_tokens', budget.max_tokens, own.maxTokens);
  checkLimit('budget.max_usd', budget.max_usd, own.maxUsd);
  checkLimit('budget.max_turns', budget.max_turns, own.maxTurns);
  checkLimit('budget.max_tool_calls', budget.max_tool_calls, own.maxToolCalls);
  const limits: Partial<Amounts> = {
    ...(budget.max_tokens !== undefined && { tokens: budget.max_tokens }),
    ...(budget.max_usd !== undefined && { nanoUsd: Math.round(budget.max_usd * 1e9) }),
    ...(budget.max_turns !== undefined && { turns: budget.max_turns }),
    ...(budget.max_tool_calls !== undefined && { toolCalls: budget.max_tool_calls }),
  };
  return {
    agent: name,
    ...(prompt !== undefined && { prompt }),
    ...(context !== undefined && { context }),
    overrides: {
      ...(model !== undefined && { model }),
      ...(timeout !== undefined && { timeout }),
      ...(Object.keys(limits).length > 0 && { budget: limits }),
    },
  };
}

function checkLimit(field: string, asked: number | undefined, own: number): void {
  if (asked === undefined || own === 0 || asked <= own) return;
  throw badField(field, `must be at most ${own}, the agent's own`);
}

import { limitsPerDay } from '../../core/records/limits-per-day.ts';
import type { Prices } from '../../core/spending/prices.ts';
import type { AgentGraph } from './agent-graph.ts';
import type { Reach } from './reach.ts';

/** A model that a run may ask. */
export interface ModelCost {
  model: string;
  /** Dollars per million tokens of prompts too short for a surcharge; absent: not known. */
  usd?: { input: number; output: number };
}

/** The models of an agent and of all that it can reach, with those that its calls of `sub_agent` may choose. */
export function modelCosts(
  { agents }: AgentGraph,
  top: string,
  { within, derived }: Reach,
  prices: Prices,
): ModelCost[] {
  const choosing = new Set(derived.filter(({ by }) => by === 'sub_agent').map(({ agent }) => agent));
  const models = [top, ...within].flatMap((name) => {
    const agent = agents.get(name);
    if (agent === undefined) return [];
    return choosing.has(name) ? [agent.model, ...agent.models] : [agent.model];
  });
  return [...new Set(models)].map((model) => {
    // Billionths of a dollar for a thousand tokens.
    const input = prices.costOf(model, { inputTokens: 1_000, outputTokens: 0 });
    const output = prices.costOf(model, { inputTokens: 0, outputTokens: 1_000 });
    if (input === undefined || output === undefined) return { model };
    return { model, usd: { input: input / 1e6, output: output / 1e6 } };
  });
}

/** A budget, or a limit per day, in dollars that a run may be unable to keep to. */
export function unpricedModels({ agents }: AgentGraph, top: string, models: readonly ModelCost[]): string[] {
  const { budget, limits } = agents.get(top) ?? {};
  const isDaily = limitsPerDay(limits ?? {}) !== undefined;
  if (!budget?.maxUsd && !isDaily) return [];
  const what = budget?.maxUsd ? 'budget' : 'limit per day';
  return models
    .filter(({ usd }) => usd === undefined)
    .map(
      ({ model }) =>
        `"${top}" has a ${what} in dollars, but the price of "${model}" is not known, so that runs with this model fail: set [prices."${model}"] in config.toml, or limit tokens`,
    );
}

import type { PlanReport } from '../../core/reports/agent-report.ts';
import { inAll, type ComparedServices } from '../../core/reports/compared-services.ts';
import { runsPerSecond } from './throughput.ts';
import type { AgentPlan, Amount } from './plan.ts';

/** The plan of one agent as `cadre plan --json` and the API have it. */
export function planReport(plan: AgentPlan): PlanReport {
  const { largest, others } = runsPerSecond(plan.expected.use);
  return {
    agent: plan.agent,
    model: plan.model,
    models: plan.models.map(({ model, usd }) => ({ model, usd_per_million_tokens: usd ?? null })),
    sub_agents: plan.within,
    copies: plan.derived.map(({ agent, by, depth, atOnce }) => ({ agent, by, depth, at_once: atOnce })),
    too_deep: plan.beyond,
    cycles: plan.cycles,
    depth: plan.depth,
    max_depth: plan.maxDepth,
    turns_at_once: plan.turnsAtOnce.most,
    expected_turns_at_once: plan.turnsAtOnce.expected,
    expected: toAmountReport(plan.expected),
    ...(plan.leaves !== undefined && {
      leaves: {
        agents: plan.leaves.agents,
        express: toAmountReport(plan.leaves.express),
        standard: toAmountReport(plan.leaves.standard),
      },
    }),
    ...(plan.batches !== undefined && { batches: toBatchesReport(plan.batches) }),
    runs_per_second: { largest_regions: largest, other_regions: others },
    run_at_most: toAmountReport(plan.mostOfRun),
    tree_at_most: toAmountReport(plan.mostOfTree),
    problems: plan.problems,
    warnings: plan.warnings,
  };
}

function toBatchesReport({ trees, agents }: ComparedServices) {
  const { turns, promptTokens, cachedTokens, aloneNanoUsd, batchNanoUsd } = inAll(agents);
  return {
    recorded_runs: trees,
    recorded_turns: turns,
    cached_share: promptTokens === 0 ? 0 : cachedTokens / promptTokens,
    usd_per_1000_runs: {
      asked_at_once: aloneNanoUsd / 1e6 / trees,
      in_batches: batchNanoUsd / 1e6 / trees,
    },
  };
}

function toAmountReport({ use, events, stateBytes, dollars }: Amount) {
  return {
    runs: use.executions,
    turns: use.turns,
    calls: use.calls,
    tool_calls: use.toolCalls,
    approvals: use.approvals,
    transitions: use.transitions,
    events,
    state_bytes: stateBytes,
    usd_per_1000_runs: Object.fromEntries(
      Object.entries(dollars).map(([service, each]) => [toSnakeCase(service), 1000 * each]),
    ),
  };
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

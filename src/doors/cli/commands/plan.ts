import { localSources } from '../../../authoring/loading/local-sources.ts';
import { loadAgentGraph, type AgentGraph } from '../../../authoring/plan/agent-graph.ts';
import { figures } from '../../../authoring/plan/figures.ts';
import { FUNCTIONS } from '../../../authoring/plan/functions.ts';
import { USUAL_CONCURRENCY } from '../../../authoring/plan/limits.ts';
import { planAgent, type AgentPlan } from '../../../authoring/plan/plan.ts';
import { planReport } from '../../../authoring/plan/plan-report.ts';
import { PRICES } from '../../../authoring/plan/prices.ts';
import type { Prices } from '../../../core/spending/prices.ts';
import { listedNames } from './agents.ts';
import { dearerInBatches } from '../terminal/batches-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { figuresText, functionsText, NOTES, planText, SHORT_NOTES } from '../terminal/plan-text.ts';
import { jsonLine } from '../terminal/printable.ts';

export interface PlanOptions {
  agentsDir?: string;
  /** Functions that may run at once. */
  concurrency?: number;
  figures?: boolean;
  json?: boolean;
  /** Whether to print what the figures count, and what each function may do. */
  verbose?: boolean;
}

/**
 * `cadre plan [agent]`: the use and cost of runs of an agent, or of each, before anything is deployed.
 * @returns the exit code: 2 where a limit is broken or an agent cannot be loaded; a limit that could only be reached is
 * a warning
 */
export async function planAgents(agent: string | undefined, options: PlanOptions, io: Io): Promise<number> {
  const { source, prices, providers } = await localSources(io, options.agentsDir);
  const names = agent === undefined ? await listedNames(source, io) : [agent];
  if (names.length === 0 && !options.json) return EXIT.success;
  const graph = await loadAgentGraph(names, source, providers);
  const { concurrency = USUAL_CONCURRENCY } = options;
  const unread = await Promise.all(names.map((name) => planAgent(name, graph, concurrency, prices)));
  const plans = await withRecords(unread, graph, prices, io);
  const known = plans.filter(({ agent: name }) => graph.agents.has(name));
  if (options.json) {
    io.stdout(`${jsonLine({ prices: PRICES, functions: FUNCTIONS, agents: known.map(planReport) })}\n`);
  } else {
    const models = new Set(plans.flatMap((plan) => plan.models.map(({ model }) => model)));
    const notes = options.verbose ? [NOTES, functionsText([...models])] : [SHORT_NOTES];
    const parts = [...known.map((plan) => planText(plan, concurrency)), ...(known.length > 0 ? notes : [])];
    io.stdout(parts.map((lines) => `${lines.join('\n')}\n`).join('\n'));
  }
  const warnings = new Set(plans.flatMap((plan) => plan.warnings));
  for (const warning of warnings) io.stderr(`Warning: ${warning}\n`);
  const problems = new Set(plans.flatMap((plan) => plan.problems));
  for (const problem of problems) io.stderr(`Error: ${problem}\n`);
  return problems.size === 0 ? EXIT.success : EXIT.configuration;
}

/** With what the runs in this folder say about batches. */
async function withRecords(
  plans: readonly AgentPlan[],
  { agents }: AgentGraph,
  prices: Prices,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<AgentPlan[]> {
  const { compareHere } = await import('../../../authoring/loading/compare-here.ts');
  const compared = await compareHere(
    plans.map(({ agent }) => agent),
    prices,
    cwd,
  );
  return plans.map((plan) => {
    const [agent, batches] = [agents.get(plan.agent), compared.get(plan.agent)];
    if (agent === undefined || batches === undefined) return plan;
    const dearer = dearerInBatches(agent, batches, (name) => agents.get(name));
    return { ...plan, batches, warnings: [...plan.warnings, ...dearer] };
  });
}

/** `cadre plan --figures`: the cost of runs of three sizes. */
export function printFigures(options: Pick<PlanOptions, 'json'>, io: Io): number {
  io.stdout(options.json ? `${jsonLine(figures())}\n` : `${figuresText().join('\n')}\n`);
  return EXIT.success;
}

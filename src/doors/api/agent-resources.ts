import { usualTimeout } from '../../core/records/deadline.ts';
import { secondsIn } from '../../core/agent-schema/duration.ts';
import type { Agent } from '../../core/agent-schema/agent.ts';
import { withOutputSchema } from '../../core/agent-schema/output-prompt.ts';
import { nextOccurrence } from '../../core/agent-schema/schedule/next-occurrence.ts';
import { toSchedulerExpression } from '../../core/agent-schema/schedule/schedule.ts';
import { isSpawning, ownTools } from '../../core/agent-schema/tool-names.ts';
import { openNow } from '../../core/lifecycle/open-now.ts';
import type { LimitReport, ToolReport } from '../../core/reports/agent-report.ts';
import type { ChangeReport } from '../../core/reports/change-report.ts';
import { callReports, toolReports } from '../../core/reports/offered-tools.ts';
import type { Opened } from '../../core/records/opened.ts';
import type { Run } from '../../core/records/run.ts';
import { offerOf } from '../../core/tool-contracts/offer.ts';
import { changesSince } from '../../authoring/replay/changes-since.ts';
import { loadAgentGraph } from '../../authoring/plan/agent-graph.ts';
import { USUAL_CONCURRENCY } from '../../authoring/plan/limits.ts';
import { planAgent } from '../../authoring/plan/plan.ts';
import { planReport } from '../../authoring/plan/plan-report.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';
import { AgentError, ConfigError, messageOf } from '../../errors.ts';
import { defined } from '../../defined.ts';
import { everyAgent, findAgent } from './agents.ts';
import type { AgentDetails, AgentList, AgentResource } from './answers.ts';
import type { AgentsContext, ApiContext, Openings } from './context.ts';
import { linkIfLarge } from './link-if-large.ts';
import { orConflict } from './steer-run.ts';
import { ownerSeen } from './subject.ts';
import { ownerOf } from '../../core/records/owner.ts';

/** Every agent by the name that it runs as, those with a fault apart. */
export async function listAgents({ source, now }: ApiContext): Promise<AgentList> {
  const { agents, faults } = await everyAgent(source);
  const resources = agents.map(async ({ name, agent }): Promise<AgentResource> => {
    const { tools, calls } = await offerReports(name, agent);
    return {
      ...resourceOf(name, agent, now()),
      tools: tools.map(({ description: _description, ...tool }): ToolReport => tool),
      calls,
    };
  });
  return { agents: await Promise.all(resources), faults };
}

/** An agent with all that shapes its runs. */
export async function agentDetails(name: string, context: AgentsContext): Promise<AgentDetails> {
  const { source, now } = context;
  const seesFiles = maySeeFiles(context);
  const agent = await findAgent(name, source);
  const { prices, providers, ...opening } = await context.openings();
  const [file, { opened, fault }, graph] = await Promise.all([
    seesFiles ? source.readText?.(name) : undefined,
    openedNow(name, { ...opening, source }, context),
    loadAgentGraph([name], source, providers),
  ]);
  const prompt = opened && withOutputSchema(opened.system, opened.output?.schema);
  const link = prompt === undefined ? undefined : await linkIfLarge(prompt, `agents/${name}`, context);
  return {
    ...resourceOf(name, agent, now()),
    ...(await offerReports(name, agent, opened)),
    version: opened?.version ?? null,
    prompt: link === undefined ? (prompt ?? null) : null,
    ...defined({ file, prompt_link: link, fault: shownFault(fault, seesFiles), skill: opened?.skill }),
    files: opened?.files ?? [],
    servers: agent.mcpServers.map((server) => server.name),
    remembers: agent.memory.enabled,
    limits: limitsOf(agent),
    plan: planReport(await planAgent(name, graph, USUAL_CONCURRENCY, prices)),
  };
}

/** Whether the caller may read the files of agents and paths: they name servers and functions, and have notes. */
function maySeeFiles(context: ApiContext): boolean {
  return ownerSeen(context) === undefined;
}

/** The fault of an agent, without its paths for callers who may not read them. */
function shownFault(fault: string | undefined, seesFiles: boolean): string | undefined {
  if (fault === undefined || seesFiles) return fault;
  return 'a part of it cannot be read: ask the operator of the environment';
}

/** What has changed since a run was opened, in all that shaped it. */
export async function runChanges(run: Run, context: AgentsContext): Promise<ChangeReport> {
  const { source, issuer, environment } = context;
  const { cwd, openWorkspace } = await context.openings();
  const ports = { cwd, issuer, openWorkspace, source, records: environment.records, tools: loadOwnTools };
  const { fault, ...report } = await orConflict(() => changesSince(run, ports));
  return { ...report, ...defined({ fault: shownFault(fault, maySeeFiles(context)) }) };
}

/** An agent's purpose and limits. */
function resourceOf(name: string, agent: Agent, now: number): Omit<AgentResource, 'calls' | 'tools'> {
  const { description, model, timeout, subAgents, maxDepth, parallel, subAgentTimeout, params, schedule } =
    agent;
  const next = schedule?.enabled ? nextOccurrence(schedule, now) : undefined;
  return {
    name,
    description,
    model,
    timeout,
    sub_agents: subAgents,
    sub_agents_config: { max_depth: maxDepth, parallel, timeout: subAgentTimeout },
    params: {
      max_tokens: params.maxTokens,
      ...(params.temperature !== undefined && { temperature: params.temperature }),
      ...(params.reasoningEffort !== undefined && { reasoning_effort: params.reasoningEffort }),
      ...(params.api !== undefined && { api: params.api }),
    },
    budget: {
      max_tokens: agent.budget.maxTokens,
      max_usd: agent.budget.maxUsd,
      max_turns: agent.budget.maxTurns,
      max_tool_calls: agent.budget.maxToolCalls,
    },
    ...(schedule !== undefined && {
      schedule: {
        expression: toSchedulerExpression(schedule),
        timezone: schedule.timezone,
        enabled: schedule.enabled,
        next: next === undefined ? null : new Date(next).toISOString(),
      },
    }),
  };
}

function limitsOf(agent: Agent): LimitReport {
  const { budget, limits, params, subAgent } = agent;
  const spawns = subAgent.enabled && ownTools(agent).some(isSpawning);
  const patience = agent.patience === undefined ? 0 : secondsIn(agent.patience);
  return {
    timeout: agent.timeout || usualTimeout(agent.params.service),
    max_depth: agent.maxDepth,
    parallel: agent.parallel,
    ...(patience > 0 && { patience }),
    ...(agent.subAgentTimeout > 0 && { sub_agent_timeout: agent.subAgentTimeout }),
    ...(params.maxTokens > 0 && { max_answer_tokens: params.maxTokens }),
    ...(budget.maxTokens > 0 && { max_tokens: budget.maxTokens }),
    ...(budget.maxUsd > 0 && { max_usd: budget.maxUsd }),
    ...(budget.maxTurns > 0 && { max_turns: budget.maxTurns }),
    ...(budget.maxToolCalls > 0 && { max_tool_calls: budget.maxToolCalls }),
    ...(limits.usdPerDay > 0 && { usd_per_day: limits.usdPerDay }),
    ...(limits.usdPerOwnerPerDay > 0 && { usd_per_owner_per_day: limits.usdPerOwnerPerDay }),
    ...(spawns && {
      copies: {
        max_depth: subAgent.maxDepth,
        max_concurrent: subAgent.maxConcurrent,
        max_tool_calls: subAgent.defaultBudget.maxToolCalls,
        max_tokens: subAgent.defaultBudget.maxTokens,
        timeout_ms: subAgent.defaultBudget.timeoutMs,
        hard_stop_at: subAgent.hardStopAt,
      },
    }),
  };
}

/**
 * The tools of an agent, and the agents that it may call.
 * @param opened a run of it; absent: what its file alone offers at the top of a tree, for which no server is asked
 */
async function offerReports(name: string, agent: Agent, opened?: Opened) {
  const own = await loadOwnTools([...ownTools(agent), 'call_agent']);
  const offer = opened ?? offerOf(agent, { model: agent.model, depth: 0 }, own);
  return { tools: toolReports(agent, offer, own), calls: callReports(name, offer) };
}

/** How a run of it would be opened now, or why none would. */
async function openedNow(
  name: string,
  ports: Omit<Openings, 'prices' | 'providers'> & Pick<ApiContext, 'source'>,
  { caller, issuer, environment: { records } }: ApiContext,
): Promise<{ opened?: Opened; fault?: string }> {
  try {
    return {
      opened: await openNow(name, ownerOf(caller ?? {}), { ...ports, issuer, records, tools: loadOwnTools }),
    };
  } catch (thrown) {
    if (thrown instanceof AgentError || thrown instanceof ConfigError) return { fault: messageOf(thrown) };
    throw thrown;
  }
}

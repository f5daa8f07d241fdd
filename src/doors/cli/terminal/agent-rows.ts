import type { Agent } from '../../../core/agent-schema/agent.ts';
import { hooksOf } from '../../../core/agent-schema/hook-schema.ts';
import { nextOccurrence } from '../../../core/agent-schema/schedule/next-occurrence.ts';
import { toSchedulerExpression, type Schedule } from '../../../core/agent-schema/schedule/schedule.ts';
import { isSpawning } from '../../../core/agent-schema/tool-names.ts';
import type { Hook } from '../../../core/records/hook.ts';
import { counted } from '../../../counted.ts';
import { moment } from './figures.ts';
import { serverText } from './server-text.ts';

/** The settings of an agent, with their labels, in the order of the output; "", 0 and false count as not set. */
export function agentRows(
  agent: Agent,
  schemaFile: string | undefined,
  now: number,
): [label: string, value: string | number | boolean][] {
  const hasSubAgents = agent.subAgents.length > 0;
  const inSeconds = (seconds: number) => (seconds === 0 ? '' : `${seconds}s`);
  return [
    ['Name', agent.name],
    ['Description', agent.description],
    ['Model', agent.model],
    ['System Prompt', agent.systemPrompt],
    ['Skill', agent.skill],
    ['Skills', agent.skills.join(', ')],
    ['Files', agent.files.join(', ')],
    ['Workdir', agent.workdir],
    ['Sub-Agents', agent.subAgents.join(', ')],
    ['Max Depth', hasSubAgents ? agent.maxDepth : ''],
    ['Parallel', hasSubAgents ? (agent.parallel ? 'yes' : 'no') : ''],
    ['Timeout', hasSubAgents ? inSeconds(agent.subAgentTimeout) : ''],
    ['Share Input', hasSubAgents && agent.shareInput ? 'yes' : ''],
    ['Express', hasSubAgents && agent.express ? 'yes' : ''],
    ['Background', hasSubAgents && (agent.background === true ? 'yes' : agent.background)],
    ['Tools', agent.tools.join(', ')],
    ['Models', agent.models.join(', ')],
    ...spawningRows(agent),
    ['Functions', agent.functions.map(({ name }) => name).join(', ')],
    ['Hooks', hooksOf(agent).map(hookText).join(', ')],
    [
      'Guardrail',
      agent.guardrail === undefined ? '' : `${agent.guardrail.id}, version ${agent.guardrail.version}`,
    ],
    ['Patience', agent.patience ?? ''],
    ['Mode', agent.mode === 'auto' ? '' : agent.mode],
    ['Allow', agent.permissions.allow.join(', ')],
    ['Ask', agent.permissions.ask.join(', ')],
    ['Deny', agent.permissions.deny.join(', ')],
    ['Hosts', agent.allowedHosts.join(', ')],
    ['Sandbox', sandboxText(agent.sandbox)],
    ['Servers', agent.mcpServers.map(serverText).join(', ')],
    ['Remote Agents', agent.remoteAgents.map(serverText).join(', ')],
    ['Output', schemaFile ?? (agent.output === undefined ? '' : JSON.stringify(agent.output))],
    ['MCP Tool', agent.serve.mcp === undefined ? '' : agent.serve.mcp ? 'yes' : 'no'],
    ['Memory', agent.memory.enabled ? 'enabled' : ''],
    ['Memory Path', agent.memory.path],
    ['Memory Last N', agent.memory.lastN],
    ['Memory Max', agent.memory.maxEntries],
    ['Memory Search', agent.memory.search ? 'yes' : ''],
    ['Embedding', agent.memory.embedding],
    ['Memory Owner', agent.memory.owner ?? ''],
    ['Files Owner', agent.workspace.owner ?? ''],
    ['Temperature', String(agent.params.temperature ?? '')],
    ['Max Tokens', agent.params.maxTokens],
    ['Reasoning', agent.params.reasoningEffort ?? ''],
    ['API', agent.params.api ?? ''],
    ['Stream', agent.params.stream === undefined ? '' : String(agent.params.stream)],
    ['Images', agent.params.images === undefined ? '' : String(agent.params.images)],
    ['Service', agent.params.service ?? ''],
    ['Compaction', agent.context.compact ? '' : 'off'],
    ['Window', agent.context.window],
    ['Run Timeout', inSeconds(agent.timeout)],
    ['Max Retries', agent.retry.maxRetries],
    ...(agent.retry.maxRetries === 0 ? [] : retryRows(agent.retry)),
    ['Token Budget', agent.budget.maxTokens],
    ['Dollar Budget', agent.budget.maxUsd],
    ['Turn Budget', agent.budget.maxTurns],
    ['Call Budget', agent.budget.maxToolCalls],
    ['Daily Limit', agent.limits.usdPerDay],
    ['Owner Limit', agent.limits.usdPerOwnerPerDay],
    ...scheduleRows(agent.schedule, now),
  ];
}

function sandboxText({ kind, network, image }: Agent['sandbox']): string {
  if (kind === 'none') return '';
  return `${kind}, ${network ? 'with' : 'without'} network${image === '' ? '' : `, deployed in ${image}`}`;
}

function hookText({ on, name, tools }: Hook): string {
  return `${name} ${on}${tools === undefined ? '' : ` of ${tools.join(' ')}`}`;
}

/** The rows about sub-agents that the agent spawns; none where it spawns none. */
function spawningRows({ tools, subAgent }: Agent): [label: string, value: string][] {
  if (!subAgent.enabled || !tools.some(isSpawning)) return [];
  const { maxDepth, maxConcurrent, hardStopAt, defaultBudget } = subAgent;
  const { maxToolCalls, maxTokens, timeoutMs } = defaultBudget;
  return [
    ['Spawns', `${maxConcurrent} at once, to depth ${maxDepth}`],
    [
      'Spawn Budget',
      `${counted(maxToolCalls, 'tool call')}, ${counted(maxTokens, 'token')}, ${timeoutMs} ms`,
    ],
    ['Hard Stop', hardStopAt === 0 ? 'never' : counted(hardStopAt, 'tool call')],
  ];
}

function retryRows({
  backoff,
  initialDelayMs,
  maxDelayMs,
}: Agent['retry']): [label: string, value: string][] {
  return [
    ['Backoff', backoff],
    ['Retry Delay', `${initialDelayMs}ms to ${maxDelayMs}ms`],
  ];
}

function scheduleRows(
  schedule: Schedule | undefined,
  now: number,
): [label: string, value: string | number][] {
  if (schedule === undefined) return [];
  const next = schedule.enabled ? nextOccurrence(schedule, now) : undefined;
  return [
    ['Schedule', `${toSchedulerExpression(schedule)} ${schedule.timezone}`],
    [
      'Next Run',
      !schedule.enabled ? 'disabled' : next === undefined ? 'never' : moment(new Date(next).toISOString()),
    ],
    ['Prompt', schedule.prompt],
    ['Service', schedule.service ?? ''],
    ['Run Tokens', schedule.budget?.tokens ?? ''],
    ['Run Dollars', (schedule.budget?.nanoUsd ?? 0) / 1e9],
  ];
}

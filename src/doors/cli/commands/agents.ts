import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import {
  AgentFileError,
  AgentNotFoundError,
  faultText,
  type AgentSource,
} from '../../../core/agent-schema/agent-source.ts';
import { assertName } from '../../../core/agent-schema/agent-name.ts';
import { hooksOf } from '../../../core/agent-schema/hook-schema.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { isSpawning } from '../../../core/agent-schema/tool-names.ts';
import type { Hook } from '../../../core/records/hook.ts';
import { ConfigError, messageOf } from '../../../errors.ts';
import { nextOccurrence } from '../../../core/agent-schema/schedule/next-occurrence.ts';
import { toSchedulerExpression, type Schedule } from '../../../core/agent-schema/schedule/schedule.ts';
import {
  agentFolders,
  findAgentFile,
  openAgentFolders,
} from '../../../authoring/loading/folders/agent-folders.ts';
import { agentTemplate } from './agent-template.ts';
import { schemaFrom } from './own-package.ts';
import { writeNewFile } from './write-new-file.ts';
import type { Io } from '../terminal/io.ts';
import { moment } from '../terminal/figures.ts';
import { editFile } from '../terminal/editor.ts';
import { oneLine } from '../terminal/printable.ts';
import { serverText } from '../terminal/server-text.ts';
import { counted } from '../../../counted.ts';

export interface AgentsOptions {
  /** The folder of `--agents-dir`. */
  agentsDir?: string;
}

/** `cadre agents list`: every agent by the name that it runs as; their faults go to stderr. */
export async function listAgents(options: AgentsOptions, io: Io): Promise<void> {
  const source = openAgentFolders({ ...options, ...io });
  for (const name of await listedNames(source, io)) {
    try {
      const { agent, warnings } = await loadAgent(name, source);
      warn(warnings, io);
      const description = agent.description.trim().replaceAll(/\s+/g, ' ');
      io.stdout(description === '' ? `${name}\n` : `${name} - ${oneLine(description)}\n`);
    } catch (error) {
      io.stderr(`Error: ${await loadFault(name, error, options, io)}\n`);
    }
  }
}

/**
 * The names of all agents. Prints a note if there are none, since the command may have been called in the wrong folder.
 */
export async function listedNames(source: AgentSource, io: Io): Promise<string[]> {
  const names = await source.list();
  if (names.length === 0) {
    const folders = (source.folders ?? []).join(' or ');
    io.stderr(`no agents in ${folders}; create one with: cadre agents init <name>\n`);
  }
  return names;
}

/** Why an agent cannot be loaded, in words, with the place; other errors are rethrown. */
export async function loadFault(
  name: string,
  error: unknown,
  options: AgentsOptions,
  io: Io,
): Promise<string> {
  if (error instanceof AgentNotFoundError || error instanceof AgentFileError) {
    return faultText(error);
  }
  if (!(error instanceof ConfigError)) throw error;
  // The name of the file is no agent's.
  const file = await findAgentFile(name, { ...options, ...io });
  return file === undefined ? error.message : `${file.path}: ${error.message}`;
}

/** `cadre agents show <agent>`: the settings of an agent's file. */
export async function showAgent(name: string, options: AgentsOptions, io: Io): Promise<void> {
  const { agent, warnings, schemaFile } = await loadAgent(name, openAgentFolders({ ...options, ...io }));
  warn(warnings, io);
  for (const [label, value] of toRows(agent, schemaFile, Date.now())) {
    if (value !== '' && value !== 0 && value !== false) io.stdout(`${`${label}:`.padEnd(15)} ${value}\n`);
  }
}

/** `cadre agents init <agent>`: writes a template where agents of this project are kept, else among the user's own. */
export async function initAgent(name: string, options: AgentsOptions, io: Io): Promise<void> {
  assertName('agent', name);
  const folder = await folderForNewAgents(options, io);
  const path = join(folder, `${name}.toml`);
  if (!(await writeNewFile(path, agentTemplate(name, schemaFrom(folder)), 'agent config'))) {
    throw new ConfigError(`agent config already exists: ${path}`);
  }
  io.stdout(`${path}\n`);
}

/** `cadre agents edit <agent>`: opens the file in the user's editor, and then reports its faults. */
export async function editAgent(name: string, options: AgentsOptions, io: Io): Promise<void> {
  assertName('agent', name);
  const file = await findAgentFile(name, { ...options, ...io });
  if (!file) throw new AgentNotFoundError(name, openAgentFolders({ ...options, ...io }));

  await editFile(file.path, io);
  try {
    warn((await loadAgent(name, openAgentFolders({ ...options, ...io }))).warnings, io);
  } catch (error) {
    io.stderr(`Warning: ${messageOf(error)}\n`);
  }
}

function warn(warnings: readonly string[], io: Io): void {
  for (const warning of warnings) io.stderr(`Warning: ${warning}\n`);
}

/** Label and value in the order of the output; "", 0 and false count as not set. */
function toRows(
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

async function folderForNewAgents(options: AgentsOptions, io: Io): Promise<string> {
  const folders = agentFolders({ ...options, ...io });
  const last = folders[folders.length - 1] ?? io.cwd;
  for (const folder of folders) {
    const isFolder = await stat(folder).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (isFolder) return folder;
  }
  return last;
}

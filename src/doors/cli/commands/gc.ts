import { toMillis, seconds } from '../../../core/records/times.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { DEFAULT_TIMEOUT, untilDeadline } from '../../../core/records/deadline.ts';
import type { Models } from '../../../core/model/model.ts';
import { AgentError, ConfigError, messageOf } from '../../../errors.ts';
import { ANALYSIS_PROMPT, analysisMessage, assertAnalysis } from '../../../core/memory/analysis.ts';
import type { MemoryEntry } from '../../../core/memory/entry.ts';
import { memoryName, type Memories } from '../../../core/memory/memories.ts';
import { ownerKeyOf } from '../../../core/records/owner.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { entriesIn } from '../terminal/figures.ts';
import type { RunIo } from '../terminal/io.ts';
import { openMaintenance } from '../../../authoring/loading/open-maintenance.ts';
import { localSources, type LocalSources } from '../../../authoring/loading/local-sources.ts';
import { assertModelOption } from './model-option.ts';

export interface GcOptions {
  all?: boolean;
  dryRun?: boolean;
  /** In place of the agents' own. */
  model?: string;
  /** A deployed environment. */
  env?: string;
  /** Whose memories; absent: the account's. */
  owner?: string;
  /** Of its functions, in place of memories: `gc-versions.ts`. */
  versions?: boolean;
  agentsDir?: string;
}

/** The stores and sources that the command works with. */
interface Tools extends LocalSources {
  memories: Memories;
  options: GcOptions;
  io: RunIo;
}

/**
 * `cadre gc`: has a model judge the memory of an agent, or of all, and trims it.
 * @returns the exit code
 */
export async function gc(name: string | undefined, options: GcOptions, io: RunIo): Promise<number> {
  if (options.all && name !== undefined) {
    throw new ConfigError('cannot specify both --all and an agent name');
  }
  if (!options.all && name === undefined) throw new ConfigError('agent name is required (or use --all)');
  const sources = await localSources(io, options.agentsDir);
  assertModelOption(options.model, io, sources.providers);
  const { memories, issuer, close } = await openMaintenance(options, io.cwd);
  const owner = ownerKeyOf({ issuer, owner: options.owner });
  const tools = { ...sources, memories: memories.of(owner), options, io };
  try {
    await (name === undefined ? gcAll(tools) : gcOne(name, tools));
    return EXIT.success;
  } catch (error) {
    if (!io.interrupted.aborted) throw error;
    io.stderr('Error: interrupted by the user\n');
    return EXIT.interrupted;
  } finally {
    await close();
  }
}

async function gcOne(name: string, tools: Tools): Promise<void> {
  const { agent, warnings } = await loadAgent(name, tools.source);
  for (const warning of warnings) tools.io.stderr(`Warning: ${warning}\n`);
  if (!agent.memory.enabled) {
    throw new ConfigError(
      `memory is not enabled for "${name}"; set enabled = true under [memory] in its file`,
    );
  }
  await gcMemory(name, agent, tools);
}

/** One agent's failure does not stop the others. An agent that cannot be loaded counts as failed. */
async function gcAll(tools: Tools): Promise<void> {
  const { source, io } = tools;
  let agents = 0;
  let failed = 0;
  for (const name of await source.list()) {
    try {
      const { agent } = await loadAgent(name, source);
      if (!agent.memory.enabled) continue;
      if (agents > 0) io.stdout('\n');
      await gcMemory(name, agent, tools);
    } catch (error) {
      io.interrupted.throwIfAborted();
      io.stderr(`Error: gc of agent "${name}": ${messageOf(error)}\n`);
      failed += 1;
    }
    agents += 1;
  }
  if (agents === 0) io.stderr('no agent in this folder has memory enabled\n');
  if (failed > 0) throw new AgentError(`gc completed with errors: ${failed} of ${agents} agents failed`);
}

async function gcMemory(name: string, agent: Agent, tools: Tools): Promise<void> {
  const { memories, io } = tools;
  const memory = memoryName(name, agent.memory);
  const entries = await memories.entries(memory, 0);
  io.stdout(`Agent: ${name}\nEntries: ${entries.length}\n`);
  if (entries.length > 0) {
    io.stdout(`\n--- Analysis ---\n${await analyse(name, agent, entries, tools)}\n`);
  }
  io.stdout(`\n${await trim(memory, agent, tools)}\n`);
}

async function analyse(
  name: string,
  agent: Agent,
  entries: readonly MemoryEntry[],
  { models, options, io }: { models: Models; options: GcOptions; io: RunIo },
): Promise<string> {
  const { model, name: modelName } = await models.open(options.model ?? agent.model);
  const now = Date.now();
  const time = seconds(agent.timeout) || DEFAULT_TIMEOUT;
  const { text } = await untilDeadline(
    { until: now + toMillis(time), seconds: time, now },
    io.interrupted,
    (signal) =>
      model.send(
        {
          model: modelName,
          system: ANALYSIS_PROMPT,
          messages: [{ role: 'user', text: analysisMessage(name, entries) }],
          tools: [],
          maxTokens: 0,
          ...(agent.params.api !== undefined && { api: agent.params.api }),
          ...(agent.params.stream === false && { stream: false }),
        },
        signal,
      ),
  );
  assertAnalysis(text);
  return text.trim();
}

/** @returns the outcome, in words */
async function trim(memory: string, agent: Agent, { memories, options }: Tools): Promise<string> {
  if (options.dryRun) return 'Dry run: no entries trimmed.';
  const limit = agent.memory.lastN || agent.memory.maxEntries;
  if (limit === 0) return 'No trim target configured (last_n and max_entries are both 0). Skipping trim.';
  const { removed, kept } = await memories.trim(memory, limit);
  return removed === 0
    ? `No trimming needed: ${entriesIn(kept)} within limit (${limit}).`
    : `Trimmed: ${entriesIn(removed)} removed, ${entriesIn(kept)} kept.`;
}

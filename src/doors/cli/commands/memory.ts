import { kindOf } from '../../../core/attachments/first-bytes.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { ConfigError } from '../../../errors.ts';
import type { MemoryEntry } from '../../../core/memory/entry.ts';
import { fromMarkdown, toMarkdown } from '../../../core/memory/markdown.ts';
import { memoryName } from '../../../core/memory/memories.ts';
import { openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { ownerKeyOf } from '../../../core/records/owner.ts';
import type { Io, RunIo } from '../terminal/io.ts';
import { openMaintenance, type Maintained } from '../../../authoring/loading/open-maintenance.ts';
import { shellWord } from '../../../shell-word.ts';
import { placeText } from '../terminal/closing-text.ts';
import { defined } from '../../../defined.ts';

export interface MemoryOptions extends Maintained {
  /** Whose memory; absent: the account's. */
  owner?: string;
  agentsDir?: string;
}

/** `cadre memory show <agent>`: the part of its memory that the agent is shown in its next run. */
export async function showMemory(name: string, options: MemoryOptions, io: Io): Promise<void> {
  const memory = await memoryOf(name, options, io);
  const entries = await entriesOf(name, memory, options, io);
  const shown = entries.slice(-memory.lastN);
  io.stdout(toMarkdown(shown));
  if (entries.length === 0) io.stderr(`agent "${name}" has no memory entries yet\n`);
  if (shown.length < entries.length) {
    io.stderr(
      `the last ${shown.length} of ${entries.length} entries; see all with: cadre memory export ${whose(name, options)}\n`,
    );
  }
}

/** `cadre memory export <agent>`: all of its memory. */
export async function exportMemory(name: string, options: MemoryOptions, io: Io): Promise<void> {
  const memory = await memoryOf(name, options, io);
  io.stdout(toMarkdown(await entriesOf(name, memory, options, io)));
}

/**
 * `cadre memory import <agent>`: adds the missing entries of an exported memory.
 * @throws {ConfigError} if stdin is not an exported memory; nothing is added then
 */
export async function importMemory(name: string, options: MemoryOptions, io: RunIo): Promise<void> {
  const memory = await memoryOf(name, options, io);
  const stdin = await io.readStdin();
  if (typeof stdin !== 'string') {
    throw new ConfigError(`stdin is ${kindOf(stdin)?.name}; this command takes only text`);
  }
  const entries = parse(name, options, stdin);
  const { memories, issuer, close } = await openMaintenance(options, io.cwd);
  try {
    const added = await memories
      .of(ownerKeyOf({ issuer, owner: options.owner }))
      .add(memoryName(name, memory), entries);
    io.stdout(`Imported: ${added} added, ${entries.length - added} existed already.\n`);
  } finally {
    await close();
  }
}

/** The words with which a command finds a memory. */
function whose(name: string, { owner, issuer, ...place }: MemoryOptions): string {
  const options = Object.entries({ owner, issuer }).filter(([, value]) => value !== undefined);
  return [
    `${name}${placeText(place)}`,
    ...options.map(([option, value = '']) => `--${option} ${shellWord(value)}`),
  ].join(' ');
}

async function memoryOf(name: string, { agentsDir }: MemoryOptions, io: Io): Promise<Agent['memory']> {
  const source = openAgentFolders({ ...io, ...defined({ agentsDir }) });
  const { agent, warnings } = await loadAgent(name, source);
  for (const warning of warnings) io.stderr(`Warning: ${warning}\n`);
  if (!agent.memory.enabled && !agent.memory.search)
    io.stderr(`Warning: memory is not enabled for "${name}": its runs neither read nor write it\n`);
  return agent.memory;
}

async function entriesOf(
  name: string,
  memory: Agent['memory'],
  options: MemoryOptions,
  { cwd }: Io,
): Promise<MemoryEntry[]> {
  const { memories, issuer, close } = await openMaintenance(options, cwd);
  try {
    return await memories
      .of(ownerKeyOf({ issuer, owner: options.owner }))
      .entries(memoryName(name, memory), 0);
  } finally {
    await close();
  }
}

function parse(name: string, options: MemoryOptions, text: string): MemoryEntry[] {
  if (text.trim() === '') {
    throw new ConfigError(
      `nothing to import; pass an exported memory: cadre memory import ${whose(name, options)} < memory.md`,
    );
  }
  // Its first line tells whether an editor has changed all of them.
  const lines = /^.*\r\n/.test(text) ? text.replaceAll('\r\n', '\n') : text;
  try {
    return fromMarkdown(lines);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`failed to import memory for "${name}": ${error.message}`, { cause: error });
  }
}

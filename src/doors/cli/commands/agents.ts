import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AgentFileError,
  AgentNotFoundError,
  faultText,
  type AgentSource,
} from '../../../core/agent-schema/agent-source.ts';
import { assertName } from '../../../core/agent-schema/agent-name.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { ConfigError, messageOf } from '../../../errors.ts';
import {
  agentFolders,
  findAgentFile,
  openAgentFolders,
} from '../../../authoring/loading/folders/agent-folders.ts';
import { agentTemplate } from './agent-template.ts';
import { agentRows } from '../terminal/agent-rows.ts';
import { schemaFrom } from './own-package.ts';
import { writeNewFile } from './write-new-file.ts';
import type { Io } from '../terminal/io.ts';
import { editFile } from '../terminal/editor.ts';
import { oneLine } from '../terminal/printable.ts';

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

/** The names of all agents. Prints a note if there are none, and whether this is the wrong folder. */
export async function listedNames(source: AgentSource, io: Io): Promise<string[]> {
  const names = await source.list();
  if (names.length === 0) {
    const folders = (source.folders ?? []).join(' or ');
    const above = await source.above?.();
    const next =
      above === undefined
        ? 'create one with: cadre agents init <name>'
        : `some are in ${above}/agents: cd ${above}`;
    io.stderr(`no agents in ${folders}; ${next}\n`);
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
  for (const [label, value] of agentRows(agent, schemaFile, Date.now())) {
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

import { faultsOf, type AgentSource } from '../../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { servedNotices } from '../../api/folder-context.ts';
import { parseModels } from '../../api/to-request.ts';
import { messageOf } from '../../../errors.ts';
import type { Folder } from '../../../places/local/local-environment.ts';
import { openFolder } from '../../../places/local/open-folder.ts';
import { localSources } from '../../../authoring/loading/local-sources.ts';
import { keepInside } from '../../../authoring/loading/folders/outside.ts';
import type { RunIo } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

/** The agents of this folder as others may call them. */
export interface ServedAgents {
  folder: Folder;
  /** Agents whose paths lead out of the folder are left out. */
  source: AgentSource;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  /** Takes a line for the person who serves them, without its newline. */
  tell: (line: string) => void;
}

/**
 * Reports at once the faults of the agents' files, which their callers do not read.
 * @throws {ConfigError} if the folder of agents cannot be read: now, and not at the first request
 */
export async function openServedAgents(agentsDir: string | undefined, io: RunIo): Promise<ServedAgents> {
  const models = parseModels(io.env['CADRE_API_MODELS']);
  const tell = (line: string) => io.stderr(`${oneLine(line)}\n`);
  const { findOutside, ...sources } = await localSources(io, agentsDir);
  const source = keepInside(sources.source, findOutside, (line) => tell(`Warning: ${line}`));
  for (const name of await source.list()) {
    // A caller of an agent that cannot be loaded reads why.
    const loaded = await loadAgent(name, source).catch(() => undefined);
    for (const warning of loaded?.warnings ?? []) tell(`Warning: ${warning}`);
  }
  const folder = await openFolder({
    cwd: io.cwd,
    sources: async () => ({ ...sources, source }),
    notice: servedNotices(tell),
    report: (thrown) => tell(`Error: ${messageOf(thrown)}`),
  });
  return { folder, source, models, tell };
}

/** Tells of the agents that cannot be loaded, which clients do not see. `cadre serve` follows schedules, and tells it there. */
export async function tellRefused({ source, tell }: ServedAgents): Promise<void> {
  for (const name of await source.list()) {
    const faults = await loadAgent(name, source).then(() => [], faultsOf);
    for (const fault of faults) tell(`Warning: ${fault}`);
  }
}

import { faultsOf, type AgentSource } from '../../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import type { AgentsContext } from '../../api/context.ts';
import { openingsIn, servedNotices } from '../../api/folder-context.ts';
import { parseModels } from '../../api/parse-models.ts';
import { messageOf } from '../../../errors.ts';
import type { Folder } from '../../../places/local/local-environment.ts';
import { assertAgentsTrusted } from '../../../places/local/folder-trust.ts';
import { folderSignIns } from '../../../places/local/folder-sign-ins.ts';
import { openFolder } from '../../../places/local/open-folder.ts';
import { localSources } from '../../../authoring/loading/local-sources.ts';
import { keepInside } from '../../../authoring/loading/folders/outside.ts';
import { listedNames } from './agents.ts';
import type { RunIo } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

/** The agents of this folder as others may call them. */
export interface ServedAgents {
  folder: Folder;
  /** Agents whose paths lead out of the folder are left out. */
  source: AgentSource;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  /** The agent whose card of Agent2Agent is that of the server; undefined: the only one that is offered. */
  a2a: string | undefined;
  openings: AgentsContext['openings'];
  signIns: NonNullable<AgentsContext['signIns']>;
  /** The faults of the agents that cannot be loaded, which clients do not see. */
  refused: readonly string[];
  /** Takes a line for the person who serves them, without its newline. */
  tell: (line: string) => void;
}

/**
 * Reports warnings about the agents' files at once, since their callers do not read them.
 * @throws {ConfigError} if the folder of agents cannot be read: now, and not at the first request
 */
export async function openServedAgents(agentsDir: string | undefined, io: RunIo): Promise<ServedAgents> {
  const models = parseModels(io.env['CADRE_API_MODELS']);
  const tell = (line: string) => io.stderr(`${oneLine(line)}\n`);
  const { findOutside, ...sources } = await localSources(io, agentsDir);
  const source = keepInside(sources.source, findOutside, (line) => tell(`Warning: ${line}`));
  const refused: string[] = [];
  const names = await listedNames(source, io);
  for (const name of names) {
    try {
      for (const warning of (await loadAgent(name, source)).warnings) tell(`Warning: ${warning}`);
    } catch (fault) {
      refused.push(...faultsOf(fault));
    }
  }
  await assertAgentsTrusted(names, { ...sources, source });
  const folder = await openFolder({
    cwd: io.cwd,
    sources: async () => ({ ...sources, source, refusesOutside: true }),
    notice: servedNotices(tell),
    report: (thrown) => tell(`Error: ${messageOf(thrown)}`),
  });
  const { logins, secrets, a2a } = sources;
  const signIns = folderSignIns(logins, secrets, Date.now);
  return {
    folder,
    source,
    models,
    a2a,
    openings: openingsIn(io.cwd, sources),
    signIns: async () => signIns,
    refused,
    tell,
  };
}

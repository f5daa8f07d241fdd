import type { LoadedAgent } from '../src/agent/agent-source.ts';
import { loadAgent } from '../src/agent/load-agent.ts';
import { ConfigError, messageOf } from '../src/errors.ts';
import { openAgentFolders } from '../src/workspace/agent-folders.ts';

/** By the name that an agent runs as: its file's, without `.toml`. */
export type DeployedAgents = ReadonlyMap<string, LoadedAgent>;

/**
 * Loads and checks every agent of the project.
 * @param project absolute: its folder
 * @throws {ConfigError} with one line for each agent that cannot be loaded
 */
export async function loadDeployedAgents(project: string): Promise<DeployedAgents> {
  const source = openAgentFolders({ cwd: project, env: {}, agentsDir: 'agents' });
  const agents = new Map<string, LoadedAgent>();
  const faults: string[] = [];
  for (const name of await source.list()) {
    try {
      agents.set(name, await loadAgent(name, source));
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      faults.push(messageOf(thrown));
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return agents;
}

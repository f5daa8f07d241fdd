import { type LoadedAgent, loadAgent } from '../src/agent/load-agent.ts';
import { ConfigError, messageOf } from '../src/errors.ts';
import { openAgentFolders } from '../src/workspace/agent-folders.ts';

export interface DeployedAgent extends LoadedAgent {
  /** The file's name without `.toml`: what the agent is called by. */
  id: string;
}

/**
 * Loads every agent of the project, as the functions will.
 * @param folder absolute: the project's
 * @throws {ConfigError} with one line for each agent that cannot be loaded
 */
export async function loadDeployedAgents(folder: string): Promise<DeployedAgent[]> {
  const source = openAgentFolders({ cwd: folder, env: {}, agentsDir: 'agents' });
  const agents: DeployedAgent[] = [];
  const faults: string[] = [];
  for (const id of await source.list()) {
    try {
      agents.push({ id, ...(await loadAgent(id, source)) });
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      faults.push(messageOf(thrown));
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return agents;
}

import { RESERVED_PREFIX } from '../src/agent/agent-name.ts';
import type { AgentSource, LoadedAgent } from '../src/agent/agent-source.ts';
import { checkDeployedAgent } from '../src/agent/check-agent.ts';
import { loadAgent } from '../src/agent/load-agent.ts';
import { ConfigError, messageOf } from '../src/errors.ts';
import { openDeployedProviders, type DeployedProviders } from '../src/models/provider-settings.ts';
import { openAgentFolders } from '../src/workspace/agent-folders.ts';
import { findModule } from '../src/workspace/module-file.ts';
import { skillsIn } from '../src/workspace/skill-file.ts';

/** By the name that an agent runs as: its file's, without `.toml`. */
export type DeployedAgents = ReadonlyMap<string, LoadedAgent>;

/**
 * Loads every agent of the project, and checks it with all that it refers to.
 * @param project absolute: its folder
 * @param local names of agents that stay on the machines of those who work on the project
 * @param providers as the environment sets them up
 * @throws {ConfigError} with one line for each thing that is wrong, of all agents
 */
export async function loadDeployedAgents(
  project: string,
  local: readonly string[] = [],
  providers: DeployedProviders = {},
): Promise<DeployedAgents> {
  const known = openDeployedProviders(JSON.stringify(providers));
  const source = without(local, openAgentFolders({ cwd: project, env: {}, agentsDir: 'agents' }));
  const agents = new Map<string, LoadedAgent>();
  const faults: string[] = [];
  for (const name of await source.list()) {
    if (name.startsWith(RESERVED_PREFIX))
      faults.push(`agents/${name}.toml: names that begin with ${RESERVED_PREFIX} are those of cadre verify`);
    try {
      const loaded = await loadAgent(name, source);
      const { errors, warnings } = await checkDeployedAgent(loaded, {
        source,
        skillsIn,
        findModule,
        providers: known.providers,
        isReachable: (provider) => known.baseUrl(provider) !== undefined,
      });
      agents.set(name, { ...loaded, warnings });
      faults.push(...errors);
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      faults.push(messageOf(thrown));
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return agents;
}

/** A deployed agent that calls a local one is told that there is none. */
function without(local: readonly string[], source: AgentSource): AgentSource {
  return {
    ...source,
    list: async () => (await source.list()).filter((name) => !local.includes(name)),
    read: async (name) => (local.includes(name) ? undefined : source.read(name)),
  };
}

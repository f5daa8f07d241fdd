import { basename, dirname } from 'node:path';
import { RESERVED_PREFIX } from '../src/core/agent-schema/agent-name.ts';
import { faultsOf, type AgentSource, type LoadedAgent } from '../src/core/agent-schema/agent-source.ts';
import { checkDeployedAgent } from '../src/authoring/loading/check-deployed-agent.ts';
import { loadAgent } from '../src/core/agent-schema/load-agent.ts';
import type { WebSearchProvider } from '../src/core/tool-contracts/web-search.ts';
import { ConfigError } from '../src/errors.ts';
import { openDeployedProviders, type DeployedProviders } from '../src/core/model/provider-settings.ts';
import { openAgentFolders } from '../src/authoring/loading/folders/agent-folders.ts';
import { nearestOrAll } from '../src/nearest.ts';
import { findModule } from '../src/places/local/workspace/module-file.ts';
import { skillsIn } from '../src/authoring/loading/folders/skill-file.ts';

export interface AgentsToDeploy {
  /** Absolute. */
  agentsFolder: string;
  /** Absolute: the folder that paths in messages are relative to. */
  cwd: string;
  /** Names of agents that stay on the machines of those who work on the project. */
  localAgents?: readonly string[];
  /** The names of all agents that there are; absent: those of the folder. */
  knownAgents?: readonly string[];
  /** As the environment sets them up. */
  providers?: DeployedProviders;
  /** As in `ProjectToDeploy`. */
  takesTokens?: boolean;
  /** As in `ProjectToDeploy`. */
  console?: boolean;
  /** As in `ProjectToDeploy`. */
  searching?: WebSearchProvider | undefined;
  /** As in `ProjectToDeploy`. */
  sandboxVpc?: boolean;
}

/**
 * Loads every agent of a folder, and checks it with all that it refers to.
 * @returns them by the names that they run as: their files', without `.toml`
 * @throws {ConfigError} with one line for each thing that is wrong, of all agents
 */
export async function loadDeployedAgents({
  agentsFolder,
  cwd,
  localAgents = [],
  knownAgents,
  providers = {},
  takesTokens = false,
  console: hasPage = false,
  searching,
  sandboxVpc = false,
}: AgentsToDeploy): Promise<Map<string, LoadedAgent>> {
  const known = openDeployedProviders(JSON.stringify(providers));
  const all = openAgentFolders({ cwd, env: {}, agentsDir: agentsFolder });
  const source = without(localAgents, all);
  const agents = new Map<string, LoadedAgent>();
  const faults = misspelt(localAgents, knownAgents ?? (await all.list()));
  for (const name of await source.list()) {
    try {
      const loaded = await loadAgent(name, source);
      const { errors, warnings } = await checkDeployedAgent(loaded, {
        takesTokens,
        searching,
        sandboxVpc,
        lacksPage: takesTokens && !hasPage,
        source,
        skillsIn,
        checkModule: findModule, // bundled later, as they are deployed
        deployed: deployedFolders(agentsFolder),
        providers: known.providers,
        providerHint: '; one of your own needs protocol and baseUrl under providers of the environment',
        isReachable: (provider) => known.baseUrl(provider) !== undefined,
      });
      // Where they cannot be loaded, the errors say so.
      const skills = errors.length > 0 ? [] : ((await source.skills?.(loaded)) ?? []);
      agents.set(name, { ...loaded, warnings, ...(skills.length > 0 && { skills }) });
      if (name.startsWith(RESERVED_PREFIX)) faults.push(reserved(loaded, name));
      faults.push(...errors);
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      faults.push(...faultsOf(thrown));
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return agents;
}

/** The folders beside each other that functions are deployed with: a skill lies in one of them. */
export function deployedFolders(agentsFolder: string): string[] {
  return [basename(agentsFolder), 'skills'];
}

/** The folder that contains the agents' folder, from which skills and modules are looked up. */
export function agentsRoot(agentsFolder: string): string {
  return dirname(agentsFolder);
}

function reserved({ file }: LoadedAgent, name: string): string {
  return `${file?.path ?? name}: names that begin with ${RESERVED_PREFIX} are those of cadre verify`;
}

/** The agent that a misspelt name was to keep on people's machines would be deployed. */
function misspelt(localAgents: readonly string[], names: readonly string[]): string[] {
  return localAgents
    .filter((name) => !names.includes(name))
    .map((name) => `localAgents: there is no agent "${name}"; ${nearestOrAll(name, names)}`);
}

/** A deployed agent that calls a local one reads that there is none. */
function without(local: readonly string[], source: AgentSource): AgentSource {
  return {
    ...source,
    list: async () => (await source.list()).filter((name) => !local.includes(name)),
    read: async (name) => (local.includes(name) ? undefined : source.read(name)),
  };
}

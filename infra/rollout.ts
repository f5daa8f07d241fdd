import { basename, dirname } from 'node:path';
import type { LoadedAgent } from '../src/core/agent-schema/agent-source.ts';
import { openAgentFolders } from '../src/authoring/loading/folders/agent-folders.ts';
import type { Rollout } from '../src/places/aws/deployment.ts';
import { namePack } from '../src/authoring/loading/folders/name-pack.ts';
import { ConfigError } from '../src/errors.ts';
import { loadDeployedAgents, type AgentsToDeploy } from './deployed-agents.ts';

/** Agents that a share of new trees takes in place of those of the agents' folder. */
export interface RolloutToDeploy {
  /** Absolute. */
  folder: string;
  /** From 0 to 1. */
  share: number;
}

export interface NextPack {
  rollout: Rollout;
  /** Absolute. */
  folder: string;
  agents: ReadonlyMap<string, LoadedAgent>;
}

/** Both packs of agents, found to be in order. */
export interface LoadedPacks {
  agents: ReadonlyMap<string, LoadedAgent>;
  /** Absent: there is one pack. */
  next?: NextPack;
}

/**
 * Loads the agents of a project and, where there is a rollout, those of the next pack.
 * @throws {ConfigError} with one line for each thing that is wrong
 */
export async function loadPacks(
  project: AgentsToDeploy & { rollout?: RolloutToDeploy },
): Promise<LoadedPacks> {
  const { rollout, agentsFolder, cwd, localAgents = [] } = project;
  if (rollout === undefined) return { agents: await loadDeployedAgents(project) };
  const { folder, share } = rollout;
  if (dirname(folder) !== dirname(agentsFolder) || folder === agentsFolder || basename(folder) === 'skills') {
    throw new ConfigError(
      `rollout.folder: ${JSON.stringify(folder)} is no folder of its own beside ${JSON.stringify(agentsFolder)}: agents of both use the same skills and modules`,
    );
  }
  const namesIn = (agentsDir: string) => openAgentFolders({ cwd, env: {}, agentsDir }).list();
  const [names, nextNames] = await Promise.all([namesIn(agentsFolder), namesIn(folder)]);
  if (nextNames.length === 0) throw new ConfigError(`rollout.folder: there are no agents in ${folder}`);
  const both = { ...project, knownAgents: [...new Set([...names, ...nextNames])], localAgents };
  const agents = await loadDeployedAgents(both);
  const next = await loadDeployedAgents({ ...both, agentsFolder: folder });
  const [currentPack, nextPack] = [await namePack(agentsFolder, agents), await namePack(folder, next)];
  // What a person has set for a pack and a share stays in force, whatever becomes of the pack that it is compared with.
  const id = `${nextPack}:${share}`;
  return {
    agents,
    next: { agents: next, folder, rollout: { id, current: currentPack, next: nextPack, share } },
  };
}

/** The agents of both packs, those of the next one by its folder: `agents-next/top`. */
export function everyAgent(
  agents: ReadonlyMap<string, LoadedAgent>,
  next?: NextPack,
): ReadonlyMap<string, LoadedAgent> {
  if (next === undefined) return agents;
  const { folder } = next;
  return new Map([
    ...agents,
    ...[...next.agents].map(([name, agent]) => [`${basename(folder)}/${name}`, agent] as const),
  ]);
}

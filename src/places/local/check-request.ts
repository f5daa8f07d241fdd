import { agentTree } from '../../core/agent-schema/agent-tree.ts';
import { AgentFileError, type AgentSource, type LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { workdirOf } from '../../core/agent-schema/context.ts';
import { assertReadable } from '../../core/agent-schema/workspace.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { parseModelName } from '../../core/model/model-name.ts';
import { ConfigError } from '../../errors.ts';
import { openFolderWorkspace } from './workspace/folder-workspace.ts';

/** Where agents are, and what is known of models. */
export interface AgentsToRun {
  source: AgentSource;
  /**
   * The faults of the models that an agent names, with places if it has a file; absent: only the form of their names is
   * checked.
   */
  modelFaults?: (loaded: LoadedAgent) => Promise<string[]>;
}

/**
 * Finds the agent of a request.
 * @param cwd absolute: what workdirs are relative to
 * @throws {ConfigError} if the agent, its model or its workdir cannot be used
 */
export async function checkRequest(
  { agent: name, overrides: { model, workdir = '' } = {} }: RunRequest,
  cwd: string,
  agents: AgentsToRun,
): Promise<LoadedAgent> {
  const loaded = await loadAgent(name, agents.source);
  await assertModels(loaded, model, agents);
  await assertReadable(openFolderWorkspace(workdirOf(loaded.agent, { workdir }, cwd)));
  return loaded;
}

/**
 * Checks the models of an agent and of all agents that it can call, as far as their files name them.
 * @param wanted the model that a caller wants instead of the agent's
 * @throws {AgentFileError} if there is no provider for a model that an agent names
 * @throws {ConfigError} if there is none for the wanted one
 */
export async function assertModels(
  loaded: LoadedAgent,
  wanted: string | undefined,
  { source, modelFaults }: AgentsToRun,
): Promise<void> {
  if (modelFaults === undefined) return void parseModelName(wanted ?? loaded.agent.model);
  for await (const each of agentTree(loaded.agent.name, loaded, source)) {
    if (each === loaded && wanted !== undefined) {
      const { file: _notThere, ...others } = loaded;
      const [fault] = await modelFaults({ ...others, agent: { ...loaded.agent, model: wanted, models: [] } });
      if (fault !== undefined) throw new ConfigError(fault);
      continue;
    }
    const [fault, ...more] = await modelFaults(each);
    if (fault !== undefined) throw new AgentFileError(fault, each.file?.path ?? each.agent.name, { more });
  }
}

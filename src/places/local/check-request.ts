import type { Agent } from '../../core/agent-schema/agent.ts';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { workdirOf } from '../../core/agent-schema/context.ts';
import { assertReadable } from '../../core/agent-schema/workspace.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { parseModelName } from '../../core/model/model-name.ts';
import { openFolderWorkspace } from './workspace/folder-workspace.ts';

/**
 * Finds the agent of a request.
 * @param cwd absolute: what workdirs are relative to
 * @throws {ConfigError} if the agent, its model or its workdir cannot be used
 */
export async function checkRequest(
  { agent: name, overrides: { model, workdir = '' } = {} }: RunRequest,
  cwd: string,
  source: AgentSource,
): Promise<Agent> {
  const { agent } = await loadAgent(name, source);
  parseModelName(model ?? agent.model);
  await assertReadable(openFolderWorkspace(workdirOf(agent, { workdir }, cwd)));
  return agent;
}

import type { Agent } from '../../core/agent-schema/agent.ts';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { workdirOf } from '../../core/agent-schema/context.ts';
import { assertReadable } from '../../core/agent-schema/context-files.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { parseModelName } from '../../core/model/model-name.ts';
import { openFolderWorkspace } from './workspace/folder-workspace.ts';
import type { Environment } from '../environment.ts';
import { createLocalEnvironment } from './local-environment.ts';
import type { LocalPipelineOptions } from './local-pipeline.ts';
import { lookIntoLocalStore, type LocalStore } from './local-store.ts';

export interface FolderOptions {
  /** Absolute: its store lies in its `.cadre/` folder. */
  cwd: string;
  /** Where agents and models are, asked for with the first that is to be carried out. */
  sources: () => Promise<Omit<LocalPipelineOptions, 'cwd' | 'local'>>;
  /** The folder's store; absent: it is opened for reading, and made with the first write. */
  local?: LocalStore;
  /** Where Lambda's API is, in place of AWS's own. */
  lambdaEndpoint?: string | undefined;
}

/** The environment of a folder. Looking at records loads no interpreter and no models, and makes nothing. */
export async function openFolder({
  cwd,
  sources,
  lambdaEndpoint,
  ...given
}: FolderOptions): Promise<Environment> {
  const local = given.local ?? (await lookIntoLocalStore(cwd));
  return createLocalEnvironment({
    local,
    now: Date.now,
    async carrier() {
      const [{ openLocalPipeline }, { createLocalCarrier }, found] = await Promise.all([
        import('./local-pipeline.ts'),
        import('./local-carrier.ts'),
        sources(),
      ]);
      const lambda = lambdaEndpoint !== undefined && { lambdaEndpoint };
      return createLocalCarrier(await openLocalPipeline({ cwd, local, ...found, ...lambda }), Date.now);
    },
    check: async (request) => checkRequest(request, cwd, (await sources()).source),
  });
}

/**
 * Finds the agent of a request.
 * @param cwd absolute: the folder that workdirs are relative to
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

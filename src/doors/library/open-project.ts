import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentNotFoundError } from '../../core/agent-schema/agent-source.ts';
import { agentTree } from '../../authoring/loading/agent-tree.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { ConfigError } from '../../errors.ts';
import type { Environment } from '../../places/environment.ts';
import { checkRequest } from '../../places/local/check-request.ts';
import { createLocalCarrier } from '../../places/local/local-carrier.ts';
import { createLocalEnvironment } from '../../places/local/local-environment.ts';
import { openLocalPipeline, type LocalPipelineOptions } from '../../places/local/local-pipeline.ts';
import { openLocalStore, type LocalStore } from '../../places/local/local-store.ts';
import { localSources, type LocalSources } from '../../authoring/loading/local-sources.ts';
import { systemTime } from '../../places/time.ts';
import type { CadreOptions } from './cadre.ts';

/** Runs in this process, kept in `.cadre/` of the project's folder. */
export async function openProject({
  folder = '.',
  agentsDir,
  lambdaEndpoint,
  onWarning = emitWarning,
}: CadreOptions): Promise<Environment> {
  const cwd = resolve(folder);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ConfigError(`no such folder: ${cwd}`);
  const sources = await localSources({ cwd, env: process.env }, agentsDir);
  const lambda = lambdaEndpoint !== undefined && { lambdaEndpoint };
  return openLocalRuns({ ...sources, ...lambda, cwd, local: await openLocalStore(cwd), onWarning });
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'CadreWarning');
}

/** A program's author is told what a person is told. */
async function addHint(thrown: unknown): Promise<never> {
  if (!(thrown instanceof AgentNotFoundError)) throw thrown;
  throw new ConfigError(thrown.message + (await thrown.hint()), { cause: thrown });
}

interface LocalRunsOptions extends LocalPipelineOptions, Pick<LocalSources, 'findOutside'> {
  /** Closed with the environment. */
  local: LocalStore;
  onWarning: (message: string) => void;
}

/** Runs in this process, whose agents' faults are told with each start. */
export async function openLocalRuns(options: LocalRunsOptions): Promise<Environment> {
  const { cwd, local, source, findOutside, onWarning, time = systemTime } = options;
  const now = () => time.now();
  return createLocalEnvironment({
    local,
    // Loaded at once: what is left of a tree of which an agent is killed goes on here.
    carrier: createLocalCarrier(await openLocalPipeline(options), now),
    async check(request) {
      const agent = await checkRequest(request, cwd, source).catch(addHint);
      const loaded = await loadAgent(request.agent, source);
      loaded.warnings.forEach(onWarning);
      for await (const each of agentTree(request.agent, loaded, source))
        (await findOutside(each)).forEach(onWarning);
      return agent;
    },
    now,
    during: (work) => time.during(work),
  });
}

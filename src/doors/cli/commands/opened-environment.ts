import { localSources, type LocalSources } from '../../../authoring/loading/local-sources.ts';
import { ConfigError } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';
import type { RunIo } from '../terminal/io.ts';

/** Where a run is that a command goes on with. */
export interface WhereRunsAre {
  /** The deployed environment that the run is in; absent for one of this folder. */
  env?: string;
  agentsDir?: string;
}

/** An environment, and the files that its agents come from. */
export interface OpenedEnvironment {
  environment: Environment;
  /** Absent where the agents were deployed. */
  sources?: LocalSources;
}

/** @throws {ConfigError} if there is no such environment, or the options contradict each other */
export async function openEnvironmentOf(
  { env, agentsDir }: WhereRunsAre,
  io: RunIo,
): Promise<OpenedEnvironment> {
  if (env !== undefined) {
    if (agentsDir !== undefined) {
      throw new ConfigError('--agents-dir works with the agents of this folder only; omit --env');
    }
    const { openCloudEnvironment } = await import('../../../places/aws/cloud-environment.ts');
    return { environment: await openCloudEnvironment(env) };
  }
  const sources = await localSources(io, agentsDir);
  const { openFolder } = await import('../../../places/local/open-folder.ts');
  return { environment: await openFolder({ cwd: io.cwd, sources: async () => sources }), sources };
}

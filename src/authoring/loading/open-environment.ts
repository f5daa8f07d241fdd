import { ConfigError } from '../../errors.ts';
import { loadOnce } from '../../load-once.ts';
import type { Environment } from '../../places/environment.ts';
import type { FolderOptions } from '../../places/local/open-folder.ts';
import type { LocalSources, Surroundings } from './local-sources.ts';

/** Where runs are. */
export interface WhereRunsAre {
  /** A deployed environment; absent: the folder. */
  env?: string | undefined;
  /** The folder of its agents, in place of the usual ones. */
  agentsDir?: string | undefined;
}

/** An environment, and the files that its agents come from. */
export interface OpenedEnvironment {
  environment: Environment;
  /** Read when they are asked for; absent where the agents were deployed. */
  sources?: () => Promise<LocalSources>;
}

/**
 * Opens a deployed environment, or that of a folder.
 * @throws {ConfigError} if there is no such environment, or the options contradict each other
 */
export async function openEnvironment(
  { env, agentsDir }: WhereRunsAre,
  surroundings: Surroundings,
  options: Pick<FolderOptions, 'carries'> = {},
): Promise<OpenedEnvironment> {
  if (env !== undefined) {
    if (agentsDir !== undefined) {
      throw new ConfigError('--agents-dir works with the agents of this folder only; omit --env');
    }
    const { openCloudEnvironment } = await import('../../places/aws/cloud-environment.ts');
    return { environment: await openCloudEnvironment(env) };
  }
  const { openFolder } = await import('../../places/local/open-folder.ts');
  const sources = loadOnce(async () =>
    (await import('./local-sources.ts')).localSources(surroundings, agentsDir),
  );
  return { environment: await openFolder({ ...options, cwd: surroundings.cwd, sources }), sources };
}

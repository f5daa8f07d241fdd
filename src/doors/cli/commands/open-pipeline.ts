import { ConfigError } from '../../../errors.ts';
import { openLocalPipeline } from '../../../places/local/local-pipeline.ts';
import { localSources, type LocalSources } from '../../../authoring/loading/local-sources.ts';
import { hasLocalStore } from '../../../places/local/local-store.ts';
import type { Pipeline } from '../../../places/pipeline.ts';
import type { RunIo } from '../terminal/io.ts';

/** Where a run is that a command goes on with. */
export interface WhereRunsAre {
  /** The deployed environment that the run is in; absent for one of this folder. */
  env?: string;
  agentsDir?: string;
}

export interface OpenedPipeline {
  pipeline: Pipeline;
  /** Where the agents of this folder come from; absent in an environment. */
  sources?: LocalSources;
  /** Whether another process carries a tree out, and looks into the store for what it is to do. */
  isCarriedOut(root: string): Promise<boolean>;
}

/**
 * The pipeline in which a run goes on.
 * @param missing thrown where nothing was ever kept in this folder, since opening the store would make one
 */
export async function openPipelineOf(
  { env, agentsDir }: WhereRunsAre,
  io: RunIo,
  missing?: ConfigError,
): Promise<OpenedPipeline> {
  if (env !== undefined) {
    if (agentsDir !== undefined) {
      throw new ConfigError('--agents-dir works with the agents of this folder only; omit --env');
    }
    const { openCloudPipeline } = await import('../../../places/aws/cloud-pipeline.ts');
    return { pipeline: await openCloudPipeline(env), isCarriedOut: async () => false };
  }
  if (missing !== undefined && !hasLocalStore(io.cwd)) throw missing;
  const sources = await localSources(io, agentsDir);
  const pipeline = await openLocalPipeline({ cwd: io.cwd, ...sources });
  return { pipeline, sources, isCarriedOut: (root) => pipeline.locks.isHeld(root) };
}

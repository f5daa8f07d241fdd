import type { Memories } from '../core/memory/memories.ts';
import { findLocalStore, openLocalStore } from './local/local-store.ts';

/** Memories that a command works on: those of the folder that it is called in, or of a deployed environment. */
export interface KeptMemories {
  memories: Memories;
  close(): Promise<void>;
}

/** Opens them for reading; undefined where nothing was ever kept. */
export async function findMemories(
  environment: string | undefined,
  cwd: string,
): Promise<KeptMemories | undefined> {
  return environment === undefined ? findLocalStore(cwd) : openDeployed(environment);
}

/** Opens them, and makes a place for them if there is none. */
export async function openMemories(environment: string | undefined, cwd: string): Promise<KeptMemories> {
  return environment === undefined ? openLocalStore(cwd) : openDeployed(environment);
}

async function openDeployed(environment: string): Promise<KeptMemories> {
  const { openCloudPipeline } = await import('./aws/cloud-pipeline.ts');
  return openCloudPipeline(environment);
}

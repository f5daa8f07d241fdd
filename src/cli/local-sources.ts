import type { AgentSource } from '../agent/agent-source.ts';
import type { Models } from '../conversation/ports.ts';
import { modelFor } from '../models/registry.ts';
import { openAgentFolders } from '../workspace/agent-folders.ts';
import type { Io } from './io.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a local command finds agents, and models with their keys. */
export async function localSources(
  { cwd, env }: Io,
  agentsDir: string | undefined,
): Promise<{ source: AgentSource; models: Models }> {
  const source = openAgentFolders({ cwd, env, ...(agentsDir !== undefined && { agentsDir }) });
  const sources = {
    apiKey: () => undefined,
    baseUrl: () => undefined,
    fetch,
    readScript: (path: string) => readFile(join(cwd, path), 'utf8'),
  };
  return { source, models: { open: async (model) => modelFor(model, sources) } };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSource } from '../agent/agent-source.ts';
import { loadGlobalConfig } from '../config/global-config.ts';
import type { Models } from '../conversation/ports.ts';
import { modelFor } from '../models/registry.ts';
import { createScriptedModel } from '../models/scripted/scripted.ts';
import { createPrices, type Prices } from '../pricing/prices.ts';
import { openAgentFolders } from '../workspace/agent-folders.ts';
import { readSmallFile } from '../workspace/small-file.ts';
import type { Io } from './io.ts';

/** Where a local command finds agents, and models with their keys and prices. */
export interface LocalSources {
  source: AgentSource;
  models: Models;
  prices: Prices;
}

/** @throws {ConfigError} if the user's `config.toml` cannot be used */
export async function localSources({ cwd, env, stderr }: Io, agentsDir?: string): Promise<LocalSources> {
  const config = await loadGlobalConfig({
    env,
    readFile: (path) => readSmallFile(path, `failed to read config ${path}`),
  });
  for (const warning of config.warnings) stderr(`Warning: ${warning}\n`);
  const sources = {
    ...config,
    fetch,
    scripted: () => createScriptedModel((path) => readFile(join(cwd, path), 'utf8')),
  };
  return {
    source: openAgentFolders({ cwd, env, ...(agentsDir !== undefined && { agentsDir }) }),
    models: { open: async (model) => modelFor(model, sources) },
    prices: createPrices(config.prices),
  };
}

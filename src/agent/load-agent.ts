import { ConfigError } from '../errors.ts';
import { assertName } from './agent-name.ts';
import type { AgentSource, LoadedAgent } from './agent-source.ts';

/**
 * Loads an agent by a name from anywhere: what is no name never reaches the source.
 * @throws {ConfigError} if there is no such agent or its file is wrong
 */
export async function loadAgent(name: string, source: AgentSource): Promise<LoadedAgent> {
  assertName('agent', name);
  const loaded = await source.read(name);
  if (loaded === undefined) throw new ConfigError(`agent config not found: ${name}`);
  return loaded;
}

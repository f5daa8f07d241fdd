import { assertName } from './agent-name.ts';
import { AgentNotFoundError, type AgentSource, type LoadedAgent } from './agent-source.ts';

/**
 * Loads an agent by a name from anywhere: a text that is not a valid name never reaches the source.
 * @throws {AgentNotFoundError} if there is no such agent
 * @throws {ConfigError} if the name is invalid, or the file is wrong
 */
export async function loadAgent(name: string, source: AgentSource): Promise<LoadedAgent> {
  assertName('agent', name);
  const loaded = await source.read(name);
  if (loaded === undefined) throw new AgentNotFoundError(name, source);
  return loaded;
}

import { AgentError } from '../errors.ts';

/** Every provider there is, in alphabetical order. */
export const PROVIDER_NAMES = ['anthropic', 'bedrock', 'offline', 'ollama', 'openai', 'scripted'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/**
 * Splits `provider/model-name` at the first `/`, so that a name may hold more of them.
 * @throws {AgentError} if a part is missing
 */
export function parseModelName(fullName: string): { provider: string; name: string } {
  const slash = fullName.indexOf('/');
  if (slash === -1) throw invalidFormat(fullName, 'expected provider/model-name');
  const provider = fullName.slice(0, slash);
  const name = fullName.slice(slash + 1);
  if (provider.trim() === '') throw invalidFormat(fullName, 'empty provider');
  if (name.trim() === '') throw invalidFormat(fullName, 'empty model name');
  return { provider, name };
}

/**
 * Splits the name of a model that there is a provider for.
 * @throws {AgentError} if a part is missing, or there is no such provider
 */
export function parseKnownModelName(fullName: string): { provider: ProviderName; name: string } {
  const { provider: written, name } = parseModelName(fullName);
  const provider = PROVIDER_NAMES.find((known) => known === written);
  if (provider !== undefined) return { provider, name };
  throw new AgentError(
    `unsupported provider "${written}": supported providers are ${PROVIDER_NAMES.join(', ')}`,
  );
}

/** Whether the answers of a model are computed, by `src/models/planned`. No agent can choose such a model. */
export function isComputed(fullName: string): boolean {
  return fullName.startsWith('planned/');
}

function invalidFormat(fullName: string, reason: string): AgentError {
  return new AgentError(`invalid model format "${fullName}": ${reason}`);
}

import { AgentError } from '../../errors.ts';

/** Providers with a protocol of their own, or one that others speak too. */
export const PROTOCOL_NAMES = ['anthropic', 'bedrock', 'offline', 'ollama', 'openai', 'scripted'] as const;
export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** Every provider that is known without configuration, in alphabetical order. */
export const PROVIDER_NAMES = [
  'anthropic',
  'azure',
  'bedrock',
  'gemini',
  'groq',
  'lmstudio',
  'mistral',
  'offline',
  'ollama',
  'openai',
  'openrouter',
  'scripted',
  'vllm',
] as const;

/** Those that speak OpenAI's protocol besides OpenAI: see model-vendors.ts. */
export type VendorName = Exclude<(typeof PROVIDER_NAMES)[number], ProtocolName>;

/** Providers that are on the user's own machine, unless they have an address elsewhere. */
export const LOCAL_PROVIDERS: readonly string[] = ['lmstudio', 'ollama', 'scripted', 'vllm'];

/** Whether a model exists on this machine only. */
export function isLocal(model: string): boolean {
  return LOCAL_PROVIDERS.some((provider) => model.startsWith(`${provider}/`));
}

/** Providers that say at no cost how many tokens a prompt has. */
export const COUNTING_PROVIDERS: readonly string[] = ['anthropic', 'bedrock'];

/** The environment variable that holds a provider's key: `ANTHROPIC_API_KEY`. */
export function apiKeyVariable(provider: string): string {
  return provider === 'azure' ? 'AZURE_OPENAI_API_KEY' : `${toVariablePart(provider)}_API_KEY`;
}

/**
 * Whether a variable is for models or for AWS, so that no server and no function gets it.
 * @param own names of providers that are configured besides the known ones
 */
export function isForModels(variable: string, own: readonly string[] = []): boolean {
  // Names of variables have no case on Windows.
  const name = variable.toUpperCase();
  const keys = [...PROVIDER_NAMES, ...own].map(apiKeyVariable);
  return keys.includes(name) || /^(AWS|CADRE)_/.test(name);
}

/** The environment variable that holds a provider's address: `CADRE_ANTHROPIC_BASE_URL`. */
export function baseUrlVariable(provider: string): string {
  return `CADRE_${toVariablePart(provider)}_BASE_URL`;
}

function toVariablePart(provider: string): string {
  return provider.toUpperCase().replaceAll('-', '_');
}

/**
 * Splits `provider/model-name` at the first `/`, so that a name may hold more of them.
 * @throws {AgentError} if a part is missing, or it is a model that cannot be chosen
 */
export function parseModelName(fullName: string): { provider: string; name: string } {
  const slash = fullName.indexOf('/');
  if (slash === -1) throw invalidFormat(fullName, 'expected provider/model-name');
  const provider = fullName.slice(0, slash);
  const name = fullName.slice(slash + 1);
  if (provider.trim() === '') throw invalidFormat(fullName, 'empty provider');
  if (name.trim() === '') throw invalidFormat(fullName, 'empty model name');
  // It costs nothing, and believes what it reads.
  if (isComputed(fullName)) {
    throw new AgentError(
      `unsupported provider "${provider}": its answers are computed, for delegate_task alone`,
    );
  }
  return { provider, name };
}

/**
 * Splits the name of a model and checks that its provider exists.
 * @param own names of providers that are configured besides the known ones
 * @throws {AgentError} if a part is missing, or there is no such provider
 */
export function parseKnownModelName(
  fullName: string,
  own: readonly string[] = [],
): { provider: string; name: string } {
  const parsed = parseModelName(fullName);
  const known = [...new Set([...PROVIDER_NAMES, ...own])].sort();
  if (known.includes(parsed.provider)) return parsed;
  throw new AgentError(
    `unsupported provider "${parsed.provider}": supported providers are ${known.join(', ')}`,
  );
}

/** Whether the answers of a model are computed, by `src/providers/planned`. No agent can choose such a model. */
export function isComputed(fullName: string): boolean {
  return fullName.startsWith('planned/');
}

function invalidFormat(fullName: string, reason: string): AgentError {
  return new AgentError(`invalid model format "${fullName}": ${reason}`);
}

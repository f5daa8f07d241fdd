import { ConfigError, MissingKeyError } from '../errors.ts';
import { DELEGATION_MODEL } from '../runs/delegation.ts';
import { apiKeyVariable } from './api-key-variable.ts';
import type { ApiAccess } from './http.ts';
import type { Model } from './model.ts';
import type { RolesOfServer } from './strict-roles.ts';
import { delegationModel } from './planned/delegation.ts';
import { parseKnownModelName, type ProviderName } from './model-name.ts';

/** What models are made from; each provider takes what it needs of it. */
export interface ModelSources {
  /** The key of a provider, from wherever keys are kept; undefined or "" if there is none. */
  apiKey(provider: string): string | undefined;
  /** What to do where that key is missing, in words; absent: as on a user's own machine. */
  whereKeysGo?(provider: string): string;
  /** Where a provider's API is, if not at its usual place; undefined or "" if it is there. */
  baseUrl(provider: string): string | undefined;
  /** Whether its server refuses a user's message after the results of tools; absent: no server is known to. */
  strictRoles?(provider: string): boolean;
  fetch: typeof fetch;
  /** The model that plays scripts. Where nothing is played, the player need not be there: it throws an AgentError. */
  scripted(): Model;
}

/** Each is loaded when a model of it is opened: a function that starts waits for no other. */
const PROVIDERS: Record<ProviderName, (sources: ModelSources) => Model | Promise<Model>> = {
  async anthropic(sources) {
    const { ANTHROPIC_URL, createAnthropicModel } = await import('./anthropic/anthropic.ts');
    return createAnthropicModel(keyedAccess('anthropic', sources, ANTHROPIC_URL));
  },
  async bedrock(sources) {
    const { createBedrockModel } = await import('./bedrock/bedrock.ts');
    return createBedrockModel({ baseUrl: customUrl('bedrock', sources), fetch: sources.fetch });
  },
  offline: async () => (await import('./offline/offline.ts')).createOfflineModel(),
  async ollama(sources) {
    const { createOllamaModel, OLLAMA_URL } = await import('./ollama/ollama.ts');
    return createOllamaModel(access('ollama', sources, OLLAMA_URL));
  },
  async openai(sources) {
    const { createOpenAIModel, OPENAI_URL } = await import('./openai/openai.ts');
    return createOpenAIModel(keyedAccess('openai', sources, OPENAI_URL));
  },
  scripted: ({ scripted }) => scripted(),
};

/**
 * The model behind `provider/model-name`, and its name without the provider.
 * @throws {AgentError} if the name has another form, or there is no such provider
 * @throws {MissingKeyError} if the provider needs a key and there is none
 * @throws {ConfigError} if the key or the base URL cannot be used
 */
export async function modelFor(
  fullName: string,
  sources: ModelSources,
): Promise<{ model: Model; name: string }> {
  if (fullName === DELEGATION_MODEL) return { model: delegationModel, name: fullName };
  const { provider, name } = parseKnownModelName(fullName);
  return { model: await PROVIDERS[provider](sources), name };
}

function keyedAccess(provider: string, sources: ModelSources, usualUrl: string): ApiAccess & RolesOfServer {
  const apiKey = sources.apiKey(provider)?.trim() ?? '';
  if (apiKey === '') {
    const remedy = sources.whereKeysGo?.(provider) ?? `set ${apiKeyVariable(provider)} or add to config.toml`;
    throw new MissingKeyError(`API key for provider "${provider}" is not configured (${remedy})`);
  }
  return { ...access(provider, sources, usualUrl), apiKey };
}

function access(
  provider: string,
  sources: ModelSources,
  usualUrl: string,
): Omit<ApiAccess, 'apiKey'> & RolesOfServer {
  return {
    baseUrl: customUrl(provider, sources) ?? usualUrl,
    strictRoles: sources.strictRoles?.(provider) ?? false,
    fetch: sources.fetch,
  };
}

function customUrl(provider: string, sources: ModelSources): string | undefined {
  const baseUrl = sources.baseUrl(provider)?.trim();
  if (!baseUrl) return undefined;
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#@\s]*)?$/.test(baseUrl)) {
    // The URL is not shown: it may hold a password.
    throw new ConfigError(
      `invalid base URL for provider "${provider}": expected http://host or https://host, with a path at most`,
    );
  }
  return baseUrl.replace(/\/+$/, '');
}

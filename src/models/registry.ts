import { ConfigError, MissingKeyError } from '../errors.ts';
import { DELEGATION_MODEL } from '../runs/delegation.ts';
import type { ApiAccess } from './http.ts';
import type { Model } from './model.ts';
import { apiKeyVariable, LOCAL_PROVIDERS, parseKnownModelName, type ProtocolName } from './model-name.ts';
import type { ProviderSettings } from './provider-settings.ts';
import type { RolesOfServer } from './strict-roles.ts';

/** What models are made from; each provider takes what it needs of it. */
export interface ModelSources {
  /** The names of providers that are set up beside the known ones; absent: none. */
  providers?: readonly string[];
  /** The key of a provider, from wherever keys are kept; undefined or "" if there is none. */
  apiKey(provider: string): string | undefined;
  /** What to do where that key is missing, in words; absent: as on a user's own machine. */
  whereKeysGo?(provider: string): string;
  /** Where a provider's API is, if not at its usual place; undefined or "" if it is there. */
  baseUrl(provider: string): string | undefined;
  /** What to do where no such place is known, in words; absent: as on a user's own machine. */
  whereUrlsGo?(provider: string): string;
  /** What else is set up for a provider; absent: nothing. */
  settings?(provider: string): ProviderSettings;
  fetch: typeof fetch;
  /** The model that plays scripts. Where nothing is played, the player need not be there: it throws an AgentError. */
  scripted(): Model;
}

/** Each is loaded when a model of it is opened: a function that starts waits for no other. */
const PROTOCOLS: Record<ProtocolName, (sources: ModelSources) => Model | Promise<Model>> = {
  async anthropic(sources) {
    const { ANTHROPIC_URL, createAnthropicModel } = await import('./anthropic/anthropic.ts');
    return createAnthropicModel(keyedAccess('anthropic', sources, ANTHROPIC_URL));
  },
  async bedrock(sources) {
    const { createBedrockModel } = await import('./bedrock/bedrock.ts');
    return createBedrockModel({ ...access('bedrock', sources, ''), baseUrl: customUrl('bedrock', sources) });
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
  if (fullName === DELEGATION_MODEL) {
    const { delegationModel } = await import('./planned/delegation.ts');
    return { model: delegationModel, name: fullName };
  }
  const { provider, name } = parseKnownModelName(fullName, sources.providers);
  if (isProtocol(provider)) return { model: await PROTOCOLS[provider](sources), name };
  const { openVendor } = await import('./vendor.ts');
  return { model: openVendor(provider, sources), name };
}

function isProtocol(provider: string): provider is ProtocolName {
  return Object.hasOwn(PROTOCOLS, provider);
}

function keyedAccess(provider: string, sources: ModelSources, usualUrl: string): ApiAccess & RolesOfServer {
  const apiKey = keyOf(provider, sources);
  return { ...access(provider, sources, usualUrl), apiKey };
}

export function keyOf(provider: string, sources: ModelSources): string {
  const apiKey = sources.apiKey(provider)?.trim() ?? '';
  if (apiKey !== '') return apiKey;
  const remedy = sources.whereKeysGo?.(provider) ?? `set ${apiKeyVariable(provider)} or add to config.toml`;
  throw new MissingKeyError(`API key for provider "${provider}" is not configured (${remedy})`);
}

/** A machine of one's own may have to load a model, or to read a long prompt, before it shows anything. */
const LOCAL_SILENCE_MS = 600_000;

export function access(
  provider: string,
  sources: ModelSources,
  usualUrl: string,
): Omit<ApiAccess, 'apiKey'> & RolesOfServer {
  const { strictRoles = false, silenceMs } = sources.settings?.(provider) ?? {};
  return {
    baseUrl: customUrl(provider, sources) ?? usualUrl,
    strictRoles,
    silenceMs: silenceMs ?? (LOCAL_PROVIDERS.includes(provider) ? LOCAL_SILENCE_MS : undefined),
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

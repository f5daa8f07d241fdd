import { ConfigError, MissingKeyError } from '../../errors.ts';
import type { ApiAccess } from '../../providers/http.ts';
import { apiKeyVariable, LOCAL_PROVIDERS } from '../../core/model/model-name.ts';
import type { ModelSources } from './model-sources.ts';
import { BASE_URL } from '../../core/model/provider-settings.ts';
import type { RolesOfServer } from '../../providers/strict-roles.ts';

/** How to reach a provider that wants a key. @throws {MissingKeyError | ConfigError} */
export function keyedAccess(
  provider: string,
  sources: ModelSources,
  usualUrl: string,
): ApiAccess & RolesOfServer {
  const apiKey = keyOf(provider, sources);
  return { ...access(provider, sources, usualUrl), apiKey };
}

/** @throws {MissingKeyError} */
export function keyOf(provider: string, sources: ModelSources): string {
  const apiKey = sources.apiKey(provider)?.trim() ?? '';
  if (apiKey !== '') return apiKey;
  const remedy = sources.whereKeysGo?.(provider) ?? `set ${apiKeyVariable(provider)} or add to config.toml`;
  throw new MissingKeyError(`API key for provider "${provider}" is not configured (${remedy})`);
}

/** A server on the user's own machine may have to load a model, or read a long prompt, before it shows anything. */
const LOCAL_SILENCE_MS = 600_000;

/** @param usualUrl of the provider's API, by default */
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

/** @throws {ConfigError} if it is not a URL; the message does not repeat it */
export function customUrl(provider: string, sources: ModelSources): string | undefined {
  const baseUrl = sources.baseUrl(provider)?.trim();
  if (!baseUrl) return undefined;
  if (!BASE_URL.test(baseUrl)) {
    // The URL is not shown: it may hold a password.
    throw new ConfigError(
      `invalid base URL for provider "${provider}": expected http://host or https://host, with a path at most`,
    );
  }
  return baseUrl.replace(/\/+$/, '');
}

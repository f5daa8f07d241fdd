import { ConfigError } from '../../errors.ts';
import { access as reach, keyOf } from './access.ts';
import type { Model } from '../../core/model/model.ts';
import { baseUrlVariable } from '../../core/model/model-name.ts';
import { vendorOf } from '../../core/model/model-vendors.ts';
import type { ApiAccess } from '../../providers/http.ts';
import type { RolesOfServer } from '../../providers/strict-roles.ts';
import { createOpenAIModel, type Dialect } from '../../providers/openai/openai.ts';
import type { ModelSources } from './model-sources.ts';

/**
 * Opens a server that speaks OpenAI's protocol. A server without TLS is the user's own, and may need no key.
 * @throws {MissingKeyError | ConfigError} as `modelFor` does
 */
export function openVendor(provider: string, sources: ModelSources): Model {
  const { access, dialect } = vendorAccess(provider, sources);
  return createOpenAIModel(access, dialect);
}

/** How to reach such a server, and how it differs from others. @throws as `openVendor` does */
export function vendorAccess(
  provider: string,
  sources: ModelSources,
): { access: ApiAccess & RolesOfServer; dialect: Dialect } {
  const { baseUrl, strictRoles = false, isAzure = false, countsUnasked = false } = vendorOf(provider);
  const usual = reach(provider, sources, baseUrl ?? '');
  if (usual.baseUrl === '') {
    const remedy =
      sources.whereUrlsGo?.(provider) ??
      `set ${baseUrlVariable(provider)} or base_url in [providers.${provider}] of config.toml`;
    throw new ConfigError(`base URL for provider "${provider}" is not configured (${remedy})`);
  }
  const settings = sources.settings?.(provider) ?? {};
  const isOwn = usual.baseUrl.startsWith('http:');
  return {
    access: {
      ...usual,
      strictRoles: settings.strictRoles ?? strictRoles,
      apiKey: isOwn ? (sources.apiKey(provider)?.trim() ?? '') : keyOf(provider, sources),
    },
    dialect: {
      isChat: !isAzure,
      isAzure,
      countsUnasked,
      apiVersion: (isAzure && settings.apiVersion) || '',
    },
  };
}

import { ConfigError } from '../../errors.ts';
import { access, keyOf } from './access.ts';
import type { Model } from '../../core/model/model.ts';
import { baseUrlVariable } from '../../core/model/model-name.ts';
import { vendorOf } from '../../core/model/model-vendors.ts';
import { createOpenAIModel } from '../../providers/openai/openai.ts';
import type { ModelSources } from './model-sources.ts';

/**
 * Opens a server that speaks OpenAI's protocol. One that is reached without TLS is the user's own, and may need no key.
 * @throws {MissingKeyError | ConfigError} as `modelFor` does
 */
export function openVendor(provider: string, sources: ModelSources): Model {
  const { baseUrl, strictRoles = false, isAzure = false, countsUnasked = false } = vendorOf(provider);
  const usual = access(provider, sources, baseUrl ?? '');
  if (usual.baseUrl === '') {
    const remedy =
      sources.whereUrlsGo?.(provider) ??
      `set ${baseUrlVariable(provider)} or base_url in [providers.${provider}] of config.toml`;
    throw new ConfigError(`base URL for provider "${provider}" is not configured (${remedy})`);
  }
  const settings = sources.settings?.(provider) ?? {};
  const isOwn = usual.baseUrl.startsWith('http:');
  return createOpenAIModel(
    {
      ...usual,
      strictRoles: settings.strictRoles ?? strictRoles,
      apiKey: isOwn ? (sources.apiKey(provider)?.trim() ?? '') : keyOf(provider, sources),
    },
    { isChat: !isAzure, isAzure, countsUnasked, apiVersion: (isAzure && settings.apiVersion) || '' },
  );
}

import { fillIn, type Secrets } from '../core/records/secrets.ts';
import {
  usualKey,
  type WebSearch,
  type WebSearching,
  type WebSearchSettings,
} from '../core/tool-contracts/web-search.ts';
import { ConfigError, StoreError } from '../errors.ts';

/** Searches the web as the settings say. Few runs do: the code is loaded by the first that does. */
export function createWebSearch(
  { provider, apiKey, url = '' }: WebSearchSettings,
  secrets: Secrets,
): WebSearching {
  if (provider === 'model') return provider;
  const search: WebSearch = async (query, options) => {
    const { searchWeb } = await import('../providers/web-search/web-search.ts');
    const usual = usualKey(provider);
    try {
      const written = apiKey ?? (usual === undefined ? '' : `\${${usual}}`);
      const { sent } = await fillIn({ key: written }, `web search by ${provider}`, secrets);
      return await searchWeb({ provider, url, apiKey: sent['key'] ?? '', fetch }, query, options);
    } catch (thrown) {
      if (thrown instanceof ConfigError || thrown instanceof StoreError) return { refused: thrown.message };
      throw thrown;
    }
  };
  return search;
}

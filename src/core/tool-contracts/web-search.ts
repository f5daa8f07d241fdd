/** The APIs that search the web. */
const SEARCH_APIS = ['tavily', 'brave', 'searxng'] as const;
export type SearchApi = (typeof SEARCH_APIS)[number];

/** Who searches the web; `model`: the provider of an agent's model, with a tool of its own. */
export const WEB_SEARCH_PROVIDERS = [...SEARCH_APIS, 'model'] as const;
export type WebSearchProvider = (typeof WEB_SEARCH_PROVIDERS)[number];

/** How the web is searched, as a user's configuration or an environment has it. */
export interface WebSearchSettings {
  provider: WebSearchProvider;
  /** The key, or `${NAME}` for a secret; absent: the secret that is usual for the provider. */
  apiKey?: string | undefined;
  /** Where the API is; absent: at its usual place. */
  url?: string | undefined;
}

/** The secret that holds a provider's key; undefined where it wants none. */
export function usualKey(provider: WebSearchProvider): string | undefined {
  return provider === 'searxng' || provider === 'model' ? undefined : `${provider.toUpperCase()}_API_KEY`;
}

/** Why settings cannot be used, where their parts are in order each by itself; undefined if they can. */
export function webSearchFault({ provider, apiKey, url }: WebSearchSettings): string | undefined {
  if (provider === 'model' && (apiKey ?? url) !== undefined) {
    return 'the provider of the model searches with its own key: leave out the key and the url';
  }
  return provider === 'searxng' && !url ? 'searxng has no usual place: set the url of a server' : undefined;
}

/** One page that was found. All of it is foreign text. */
export interface WebResult {
  title: string;
  /** With http or https. */
  url: string;
  excerpt: string;
}

/** Searches the web. @returns what was found, or why nothing could be, in words */
export type WebSearch = (
  query: string,
  options: { maxResults: number; signal: AbortSignal },
) => Promise<{ results: WebResult[]; nanoUsd: number } | { refused: string }>;

/** Who searches the web for agents: a function, or the providers of their models. */
export type WebSearching = WebSearch | 'model';

/** Who searches the web. */
export const WEB_SEARCH_PROVIDERS = ['tavily', 'brave', 'searxng'] as const;
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
  return provider === 'searxng' ? undefined : `${provider.toUpperCase()}_API_KEY`;
}

/** Why settings cannot be used, where their parts are in order each by itself; undefined if they can. */
export function webSearchFault({ provider, url }: WebSearchSettings): string | undefined {
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

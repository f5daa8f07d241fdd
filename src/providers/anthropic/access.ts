import type { ApiAccess, HttpApi } from '../http.ts';

/** How Anthropic's API is reached. */
export function toAccess(access: ApiAccess): Omit<HttpApi, 'path' | 'spentOn'> {
  return { ...access, headers: { 'x-api-key': access.apiKey, 'anthropic-version': '2023-06-01' } };
}

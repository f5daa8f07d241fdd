import type { Dialect } from './openai.ts';

/** A server of one's own may want no key. */
export function toKeyHeader(apiKey: string, { isAzure = false }: Dialect): Record<string, string> {
  if (apiKey === '') return {};
  return isAzure ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}

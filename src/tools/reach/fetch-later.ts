import type { FetchUrl } from '../../core/tool-contracts/tool.ts';

/** Fetches with the usual options. Few runs fetch anything, and addresses are checked by tables that are long. */
export async function fetchUrl(...asked: Parameters<FetchUrl>): ReturnType<FetchUrl> {
  const { createFetchUrl } = await import('./fetch-url.ts');
  return createFetchUrl()(...asked);
}

import { millis } from '../../core/records/times.ts';
import { TimeUpError, withinTime } from '../../core/records/deadline.ts';
import type { WebResult, WebSearch, SearchApi } from '../../core/tool-contracts/web-search.ts';
import { ModelError } from '../../errors.ts';
import { readWhole } from '../answer.ts';
import { lineOf, shownPage } from '../cited.ts';
import { open, toHeaders, type HttpApi } from '../http.ts';
import { SEARCH_WIRES } from './wires.ts';

const TIMEOUT_MS = 20_000;
/** Far more than twenty results have. */
const MOST_MEGABYTES = 4;
const MAX_EXCERPT = 1_000;

export interface SearchAccess {
  provider: SearchApi;
  /** "" for its usual place. */
  url: string;
  /** "" where it wants none. */
  apiKey: string;
  fetch: typeof fetch;
}

/** Asks an API that searches the web, once. */
export async function searchWeb(
  { provider, url, apiKey, fetch }: SearchAccess,
  query: string,
  { maxResults, signal }: Parameters<WebSearch>[1],
): ReturnType<WebSearch> {
  const wire = SEARCH_WIRES[provider];
  const { path, headers, body } = wire.toRequest(query, maxResults, apiKey);
  const api: HttpApi = {
    baseUrl: url || wire.baseUrl,
    apiKey,
    fetch,
    path,
    headers,
    ...(body === undefined && { method: 'GET' }),
    megabytes: MOST_MEGABYTES,
    spentOn: () => 'unknown',
  };
  try {
    const found = await withinTime(millis(TIMEOUT_MS), signal, async (untilThen) => {
      const response = await open(api, toHeaders(api), body && JSON.stringify(body), untilThen);
      return readWhole(api, response, wire.answer, untilThen);
    });
    return { results: found.flatMap(toResult).slice(0, maxResults), nanoUsd: wire.nanoUsd };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof TimeUpError)
      return { refused: `${provider} took longer than ${TIMEOUT_MS / 1000}s` };
    if (!(thrown instanceof ModelError)) throw thrown;
    const remedy = wire.remedies?.[thrown.details.status ?? 0];
    return { refused: `${provider} gave no answer: ${remedy ?? thrown.message}` };
  }
}

/** On lines of their own, and no longer than anyone reads. Addresses that nobody should follow are left out. */
function toResult({ excerpt, ...page }: WebResult): WebResult[] {
  return shownPage(page).map((shown) => ({ ...shown, excerpt: lineOf(excerpt, MAX_EXCERPT) }));
}

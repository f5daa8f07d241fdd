import * as v from 'valibot';
import type { SearchApi } from '../../core/tool-contracts/web-search.ts';

/** A request to an API that searches the web. */
interface SearchRequest {
  path: string;
  headers: Record<string, string>;
  /** Absent: it is a GET. */
  body?: object;
}

/** What distinguishes one such API from another. */
interface SearchWire {
  /** Where it is; "" where it has no usual place. */
  baseUrl: string;
  /** In billionths of a dollar, for one request. */
  nanoUsd: number;
  toRequest(query: string, count: number, apiKey: string): SearchRequest;
  /** Reads the parts of its answer that are used. */
  answer: v.GenericSchema<unknown, Found[]>;
  /** What a status means that says something else here; absent: nothing does. */
  remedies?: Readonly<Record<number, string>>;
}

interface Found {
  title: string;
  url: string;
  excerpt: string;
}

const text = v.nullish(v.string(), '');

const toFound = ({ title, url, content }: { title: string; url: string; content: string }): Found => ({
  title,
  url,
  excerpt: content,
});

const pages = v.object({ results: v.array(v.object({ title: text, url: v.string(), content: text })) });

/**
 * The APIs, with the price of a request where there is no subscription. Prices as of 2026-11-26.
 *
 * - Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search; a basic search is one credit, $0.008
 *   (https://docs.tavily.com/documentation/api-credits)
 * - Brave: https://api-dashboard.search.brave.com/api-reference/web/search/get; $5 for 1,000 requests
 *   (https://brave.com/search/api)
 * - SearXNG: https://docs.searxng.org/dev/search_api.html; it does not limit how many results there are
 */
export const SEARCH_WIRES: Readonly<Record<SearchApi, SearchWire>> = {
  tavily: {
    baseUrl: 'https://api.tavily.com',
    nanoUsd: 8_000_000,
    toRequest: (query, count, apiKey) => ({
      path: '/search',
      headers: { authorization: `Bearer ${apiKey}` },
      body: { query, max_results: count, search_depth: 'basic' },
    }),
    answer: v.pipe(
      pages,
      v.transform(({ results }) => results.map(toFound)),
    ),
  },
  brave: {
    baseUrl: 'https://api.search.brave.com',
    nanoUsd: 5_000_000,
    toRequest: (query, count, apiKey) => ({
      path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: String(count), text_decorations: 'false' }).toString()}`,
      headers: { accept: 'application/json', 'x-subscription-token': apiKey },
    }),
    answer: v.pipe(
      v.object({
        // Absent where nothing was found.
        web: v.nullish(
          v.object({ results: v.array(v.object({ title: text, url: v.string(), description: text })) }),
          { results: [] },
        ),
      }),
      v.transform(({ web }) =>
        web.results.map(({ title, url, description }) => ({ title, url, excerpt: description })),
      ),
    ),
  },
  searxng: {
    baseUrl: '',
    nanoUsd: 0,
    toRequest: (query) => ({
      path: `/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}`,
      headers: { accept: 'application/json' },
    }),
    answer: v.pipe(
      pages,
      v.transform(({ results }) => results.map(toFound)),
    ),
    remedies: { 403: 'the server answers in no JSON: add json to search.formats of its settings' },
  },
};

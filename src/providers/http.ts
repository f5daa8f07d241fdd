import * as v from 'valibot';
import { ModelError, messageOf, type ModelErrorCategory } from '../errors.ts';
import type { TokenUsage } from '../token-usage.ts';
import { abortCause } from './abort.ts';

/** How to reach a provider's API. */
export interface ApiAccess {
  /** Without the path of the call: `https://api.anthropic.com`. */
  baseUrl: string;
  /** "" where the provider wants none. */
  apiKey: string;
  fetch: typeof fetch;
  /** How long a stream may show nothing, in milliseconds; absent: 120,000. */
  silenceMs?: number | undefined;
}

/**
 * The class of each HTTP status that has one; all others are `server`, which passes. Asking again does not help a user
 * who has to pay first (402), as it does not with a refused key.
 */
export const CATEGORIES: Readonly<Record<number, ModelErrorCategory>> = {
  400: 'bad_request',
  401: 'auth',
  402: 'auth',
  403: 'auth',
  404: 'bad_request',
  408: 'timeout',
  413: 'bad_request',
  422: 'bad_request',
  429: 'rate_limit',
  504: 'timeout',
  529: 'overloaded',
};

/** The properties of a provider's HTTP API that differ from others. */
export interface HttpApi extends ApiAccess {
  path: string;
  /** Absent: POST. */
  method?: 'GET';
  headers: Record<string, string>;
  /** The most megabytes of an answer; absent: as many as one of a model may have. */
  megabytes?: number;
  /** The cost of an answer that came with status 200 and cannot be used, in any form. */
  spentOn: (answer: unknown) => TokenUsage | 'unknown';
  /** The message for a refused connection. */
  refused?: string;
}

/** The address of an API, independent of the request. */
export type Endpoint = Pick<HttpApi, 'baseUrl' | 'fetch' | 'megabytes' | 'method' | 'path' | 'refused'>;

/**
 * Sends a text, or a form, and waits for the head of the answer, with any status.
 * @throws {ModelError} for any failure of the connection
 * @throws the signal's reason if the run was stopped
 */
export async function open(
  endpoint: Endpoint,
  headers: Headers,
  body: string | FormData | undefined,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await endpoint.fetch(`${origin(endpoint)}${endpoint.path}`, {
      method: endpoint.method ?? 'POST',
      headers,
      ...(body !== undefined && { body }),
      signal,
      // A redirect would take the key to wherever it points.
      redirect: 'manual',
    });
  } catch (thrown) {
    if (signal.aborted) throw abortCause(signal);
    const { code, reason } = rootCause(thrown);
    if (code === 'ECONNREFUSED' && endpoint.refused !== undefined) {
      throw new ModelError('server', endpoint.refused);
    }
    throw new ModelError(categoryOf(code), `no answer from ${origin(endpoint)}: ${reason}`);
  }
}

/** @throws {ModelError} `auth` for a key that no header can carry; it is not repeated */
export function toHeaders(api: HttpApi): Headers {
  try {
    return new Headers({ 'content-type': 'application/json', ...api.headers });
  } catch {
    // The cause is not passed on: it quotes the key.
    throw new ModelError(
      'auth',
      `the API key for ${origin(api)} contains characters that an HTTP header cannot contain`,
    );
  }
}

/** Far more than any model writes in one answer; a larger body is no answer of a model. */
export const MOST_MEGABYTES = 32;

export interface ReadOptions {
  signal: AbortSignal;
  /** The most that is read; absent: as much as a whole answer may have. */
  megabytes?: number;
  /** The cost of an answer that is lost on its way; absent: it is unknown. */
  spent?: () => TokenUsage | 'unknown';
}

/**
 * The body of an answer, as it comes.
 * @throws {ModelError} if it is lost on its way, or too large
 * @throws the signal's reason if the run was stopped
 */
export async function* bytesOf(
  endpoint: Endpoint,
  response: Response,
  { signal, megabytes = endpoint.megabytes ?? MOST_MEGABYTES, spent = () => 'unknown' }: ReadOptions,
): AsyncGenerator<Uint8Array, void> {
  if (response.body === null) return;
  const chunks: AsyncIterable<Uint8Array> = response.body;
  const details = () => (response.ok ? { spent: spent() } : {});
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      if (size > megabytes * 2 ** 20) break;
      yield chunk;
    }
  } catch (thrown) {
    if (signal.aborted) throw abortCause(signal);
    const { code, reason } = rootCause(thrown);
    const fault = `connection to ${origin(endpoint)} lost in mid-answer: ${reason}`;
    throw new ModelError(categoryOf(code), fault, details());
  }
  if (size > megabytes * 2 ** 20) {
    const fault = `response from ${origin(endpoint)} is larger than ${megabytes} MB`;
    throw new ModelError('server', fault, details());
  }
}

/** The body of an answer as text, in pieces as they come. @throws as `bytesOf` does */
export async function* textOf(
  endpoint: Endpoint,
  response: Response,
  reading: ReadOptions,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const chunk of bytesOf(endpoint, response, reading)) {
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

/** The server, as errors name it. */
export function origin(api: Pick<Endpoint, 'baseUrl'>): string {
  return api.baseUrl.replace(/\/+$/, '');
}

const causeSchema = v.object({ code: v.fallback(v.string(), ''), message: v.fallback(v.string(), '') });

/** `fetch` says no more than "fetch failed"; the reason is in its cause, and for several addresses in a code alone. */
function rootCause(thrown: unknown): { code: string; reason: string } {
  const inner = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const cause = v.safeParse(causeSchema, inner);
  if (!cause.success) return { code: '', reason: messageOf(thrown) };
  return { code: cause.output.code, reason: cause.output.message || cause.output.code || messageOf(thrown) };
}

/** The codes that Node.js gives a wait that was longer than its `fetch` allows. */
const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

function categoryOf(code: string): ModelErrorCategory {
  return TIMEOUT_CODES.has(code) ? 'timeout' : 'server';
}

/**
 * The error for an answer that is not OK.
 * @param said the API's own description of the error; "" if it gives none
 * @param category of its own; absent: the one that its status has
 */
export function statusError(
  api: Pick<HttpApi, 'apiKey'>,
  response: Response,
  said: string,
  category?: ModelErrorCategory,
): ModelError {
  const { status, statusText } = response;
  const message = said || statusText || `HTTP status ${status}`;
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? waitIn(said));
  return new ModelError(category ?? CATEGORIES[status] ?? 'server', redact(api, message), {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The seconds for which an API asks to be left alone in words, as Gemini does; null: it does not. */
function waitIn(said: string): string | null {
  return /\bretry in (\d+(?:\.\d+)?)s\b/.exec(said)?.[1] ?? null;
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Shorter ones are no keys of any provider, and would be taken out of the middle of words. */
const SHORTEST_KEY = 8;

/** Some servers quote the key that they refuse. */
export function redact(api: Pick<ApiAccess, 'apiKey'>, text: string): string {
  return api.apiKey.length < SHORTEST_KEY ? text : text.replaceAll(api.apiKey, '[redacted]');
}

import * as v from 'valibot';
import { ModelError, messageOf, type ModelErrorCategory } from '../errors.ts';
import type { TokenUsage } from '../runs/message.ts';
import { abortCause } from './abort.ts';

/** How to reach a provider's API. */
export interface ApiAccess {
  /** Without the path of the call: `https://api.anthropic.com`. */
  baseUrl: string;
  /** "" where the provider wants none. */
  apiKey: string;
  fetch: typeof fetch;
}

/** What providers differ in, as far as HTTP goes. */
export interface HttpApi extends ApiAccess {
  path: string;
  headers: Record<string, string>;
  /** The class of each HTTP status that has one; all others are `server`. */
  categories: Readonly<Record<number, ModelErrorCategory>>;
  /** What is to be paid for an answer that came with status 200 and cannot be used, whatever it looks like. */
  spentOn: (answer: unknown) => TokenUsage | 'unknown';
  /** What to say where nothing listens. */
  refused?: string;
}

/**
 * Posts one request and reads the whole answer.
 * @throws {ModelError} for whatever the API or the way to it did; the key is in none of the messages
 * @throws the signal's reason if the run was stopped
 */
export async function postJson<const Schema extends v.GenericSchema>(
  api: HttpApi,
  body: object,
  schema: Schema,
  signal: AbortSignal,
): Promise<v.InferOutput<Schema>> {
  const { response, text } = await post(api, toHeaders(api), JSON.stringify(body), signal);
  if (!response.ok) throw statusError(api, response, errorMessage(parseJson(text).value));
  return parseAnswer(api, schema, text);
}

/** The way to an API, whatever is said on it. */
export type Endpoint = Pick<HttpApi, 'baseUrl' | 'fetch' | 'path' | 'refused'>;

/**
 * Posts a text and reads the whole answer, whatever its status.
 * @throws {ModelError} for whatever happened on the way
 * @throws the signal's reason if the run was stopped
 */
export async function post(
  endpoint: Endpoint,
  headers: Headers,
  body: string,
  signal: AbortSignal,
): Promise<{ response: Response; text: string }> {
  const response = await request(endpoint, headers, body, signal);
  return { response, text: await readText(endpoint, response, signal) };
}

async function request(
  endpoint: Endpoint,
  headers: Headers,
  body: string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await endpoint.fetch(`${origin(endpoint)}${endpoint.path}`, {
      method: 'POST',
      headers,
      body,
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

function toHeaders(api: HttpApi): Headers {
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

/** Far more than any model writes in one answer; what is larger is no answer of a model. */
const MOST_MEGABYTES = 32;

async function readText(api: Endpoint, response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const chunks: AsyncIterable<Uint8Array> = response.body;
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      if (size > MOST_MEGABYTES * 2 ** 20) break;
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (thrown) {
    if (signal.aborted) throw abortCause(signal);
    const { code, reason } = rootCause(thrown);
    const fault = `connection to ${origin(api)} lost in mid-answer: ${reason}`;
    throw new ModelError(categoryOf(code), fault, response.ok ? { spent: 'unknown' } : {});
  }
  if (size > MOST_MEGABYTES * 2 ** 20) {
    const fault = `response from ${origin(api)} is larger than ${MOST_MEGABYTES} MB`;
    throw new ModelError('server', fault, response.ok ? { spent: 'unknown' } : {});
  }
  return text + decoder.decode();
}

function origin(api: Endpoint): string {
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

/** What Node.js calls a wait that was longer than its `fetch` allows. */
const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
]);

function categoryOf(code: string): ModelErrorCategory {
  return TIMEOUT_CODES.has(code) ? 'timeout' : 'server';
}

export /**
 * The error for an answer that is not OK.
 * @param said what the API says went wrong; "" if it says nothing
 */
function statusError(
  api: Pick<HttpApi, 'apiKey' | 'categories'>,
  response: Response,
  said: string,
): ModelError {
  const { status, statusText } = response;
  const message = said || statusText || `HTTP status ${status}`;
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'));
  return new ModelError(api.categories[status] ?? 'server', redact(api, message), {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Math.ceil(Number(header) * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function parseAnswer<const Schema extends v.GenericSchema>(
  api: HttpApi,
  schema: Schema,
  text: string,
): v.InferOutput<Schema> {
  const { value, fault } = parseJson(text);
  // The words for a fault quote ten characters of the text, which may be the beginning of the key.
  if (fault !== undefined) throw unusable(api, unparsed(parseJson(redact(api, text)).fault ?? 'not JSON'));
  if (Array.isArray(value)) throw unusable(api, unparsed('expected an object, got an array'));
  const message = errorMessage(value);
  // Ollama, and servers in front of others, have sent their 200 when they fail.
  if (message !== '') throw unusable(api, message, value);
  const answer = v.safeParse(schema, value, { abortEarly: true });
  if (answer.success) return answer.output;
  const [issue] = answer.issues;
  throw unusable(api, unparsed(`${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`), value);
}

/** The error for an answer that came with status 200, and is paid for. */
function unusable(api: HttpApi, fault: string, answer?: unknown): ModelError {
  return new ModelError('server', redact(api, fault), { spent: api.spentOn(answer) });
}

function unparsed(fault: string): string {
  return `failed to parse response: ${fault}`;
}

function parseJson(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    return { fault: messageOf(thrown) };
  }
}

const saying = v.object({ message: v.string() });

/** `error` is an object, or a text as Ollama has it; with Mistral, and vLLM as it was, the whole answer is the error. */
const errorSchema = v.union([
  v.object({ error: v.union([v.string(), saying]) }),
  v.object({ object: v.literal('error'), ...saying.entries }),
]);

/** What the API says went wrong; "" if it says nothing. */
function errorMessage(body: unknown): string {
  const parsed = v.safeParse(errorSchema, body, { abortEarly: true });
  if (!parsed.success) return '';
  const error = 'error' in parsed.output ? parsed.output.error : parsed.output;
  return typeof error === 'string' ? error : error.message;
}

/** Shorter ones are no keys of any provider, and would be taken out of the middle of words. */
const SHORTEST_KEY = 8;

/** Some servers quote the key that they refuse. */
function redact(api: Pick<ApiAccess, 'apiKey'>, text: string): string {
  return api.apiKey.length < SHORTEST_KEY ? text : text.replaceAll(api.apiKey, '[redacted]');
}

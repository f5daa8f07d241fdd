import * as v from 'valibot';
import type { ModelErrorCategory } from '../../errors.ts';
import { isNested } from '../calls.ts';
import { post, statusError } from '../http.ts';

/** A request as the SDK has signed it. */
interface SignedRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
}

/** What each status of Converse stands for; all others are `server`. */
const CATEGORIES: Readonly<Record<number, ModelErrorCategory>> = {
  400: 'bad_request',
  401: 'auth',
  403: 'auth',
  404: 'bad_request',
  408: 'timeout',
  413: 'bad_request',
  429: 'rate_limit',
};

/**
 * Sends what the SDK has signed on the same way as every other provider's requests, with the same errors for what goes
 * wrong there: the SDK gets to see only answers that are OK.
 */
export function createRequestHandler(fetch: typeof globalThis.fetch) {
  return {
    async handle(
      { protocol, hostname, port, path, headers, body }: SignedRequest,
      { abortSignal }: { abortSignal: AbortSignal },
    ) {
      const baseUrl = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
      const { response, text } = await post({ baseUrl, path, fetch }, toHeaders(headers), body, abortSignal);
      if (!response.ok)
        throw statusError({ apiKey: '', categories: CATEGORIES }, response, errorMessage(text));
      return {
        response: {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          body: new TextEncoder().encode(cutDeep(text)),
        },
      };
    },
  };
}

/** Deeper than the arguments of any call that is read, and far less than the SDK takes, which recurses. */
const MOST_LEVELS = 128;

/** An answer without what is nested too deep in it: the SDK would fail, and the answer is paid for. */
function cutDeep(text: string): string {
  const body = v.safeParse(jsonText, text);
  if (!body.success) return text; // the SDK says what is wrong with it
  let level = [body.output].filter(isNested);
  for (let depth = 1; depth < MOST_LEVELS; depth++) {
    level = level.flatMap((value) => Object.values(value).filter(isNested));
  }
  if (level.length === 0) return text;
  for (const value of level) {
    for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
  }
  return JSON.stringify(body.output);
}

/** `fetch` works these two out itself, to the same values. */
function toHeaders(headers: Record<string, string>): Headers {
  const { host: _host, 'content-length': _length, ...others } = headers;
  return new Headers(others);
}

const jsonText = v.pipe(v.string(), v.parseJson());

/** Most services of AWS write `message`, what stands before them `Message`. */
const errorBody = v.pipe(
  jsonText,
  v.union([v.object({ message: v.string() }), v.object({ Message: v.string() })]),
);

function errorMessage(text: string): string {
  const body = v.safeParse(errorBody, text, { abortEarly: true });
  if (!body.success) return '';
  return 'message' in body.output ? body.output.message : body.output.Message;
}

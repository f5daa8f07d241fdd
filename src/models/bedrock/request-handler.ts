import * as v from 'valibot';
import type { ModelErrorCategory } from '../../errors.ts';
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
          body: new TextEncoder().encode(text),
        },
      };
    },
  };
}

/** `fetch` works these two out itself, to the same values. */
function toHeaders(headers: Record<string, string>): Headers {
  const { host: _host, 'content-length': _length, ...others } = headers;
  return new Headers(others);
}

/** Most services of AWS write `message`, what stands before them `Message`. */
const errorBody = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([v.object({ message: v.string() }), v.object({ Message: v.string() })]),
);

function errorMessage(text: string): string {
  const body = v.safeParse(errorBody, text, { abortEarly: true });
  if (!body.success) return '';
  return 'message' in body.output ? body.output.message : body.output.Message;
}

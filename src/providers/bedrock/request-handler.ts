import * as v from 'valibot';
import { readText } from '../answer.ts';
import { bytesOf, open, statusError } from '../http.ts';

/** How the service answers with a stream. */
const EVENT_STREAM = 'application/vnd.amazon.eventstream';

/** The most of a stream that is read. */
const MOST_MEGABYTES = 256;

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

/** An answer that came whole. It is thrown past the SDK, which would fail at much that can be read. */
export class WholeAnswer extends Error {
  /** @param text JSON, or the text in its place */
  constructor(readonly text: string) {
    super('the answer came whole');
  }
}

/**
 * Sends the request that the SDK has signed on the same way as every other provider's requests, with the same errors
 * for failures there: the SDK gets to see only streams, and counts of tokens.
 */
export function createRequestHandler(fetch: typeof globalThis.fetch) {
  return {
    async handle(
      { protocol, hostname, port, path, headers, body }: SignedRequest,
      { abortSignal }: { abortSignal: AbortSignal },
    ) {
      const baseUrl = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
      const endpoint = { baseUrl, path, fetch };
      const response = await open(endpoint, toHeaders(headers), body, abortSignal);
      if (response.ok && response.headers.get('content-type') === EVENT_STREAM) {
        return toSdk(
          response,
          bytesOf(endpoint, response, { signal: abortSignal, megabytes: MOST_MEGABYTES }),
        );
      }
      const text = await readText(endpoint, response, abortSignal);
      if (!response.ok) {
        throw statusError({ apiKey: '' }, response, errorMessage(text));
      }
      if (/\/converse(-stream)?$/.test(path)) throw new WholeAnswer(text);
      return toSdk(response, new TextEncoder().encode(text));
    },
  };
}

function toSdk(response: Response, body: Uint8Array | AsyncIterable<Uint8Array>) {
  const headers = Object.fromEntries(response.headers);
  return { response: { statusCode: response.status, headers, body } };
}

/** `fetch` works these two out itself, to the same values. */
function toHeaders(headers: Record<string, string>): Headers {
  const { host: _host, 'content-length': _length, ...others } = headers;
  return new Headers(others);
}

const jsonText = v.pipe(v.string(), v.parseJson());

/** Most services of AWS write `message`, the services in front of them `Message`. */
const errorBody = v.pipe(
  jsonText,
  v.union([v.object({ message: v.string() }), v.object({ Message: v.string() })]),
);

/** The service's own description of the error; "" if it gives none. */
export function errorMessage(text: string): string {
  const body = v.safeParse(errorBody, text, { abortEarly: true });
  if (!body.success) return '';
  return 'message' in body.output ? body.output.message : body.output.Message;
}

import type { Context } from 'hono';
import type { ApiPorts } from './ports.ts';

/** API Gateway's integrations end after 30 seconds ("Quotas for HTTP APIs"). */
const BRIEF_MS = 25_000;

/** When a client comes back after an answer, in milliseconds: at once where answers are brief. */
const RETRY_MS = { streams: 1_000, brief: 100 };

/**
 * Answers with server-sent events, or with the first piece of them where answers reach a client whole.
 * @param pieces the text of events; "" for a sign of life. Undefined: there are no more, and the client does not come
 *   back (https://html.spec.whatwg.org, "Server-sent events")
 */
export async function answerStream(
  c: Context,
  pieces: ((signal: AbortSignal) => AsyncIterable<string>) | undefined,
  { streams }: ApiPorts,
): Promise<Response> {
  if (pieces === undefined) return answer(null, 204);
  const { signal } = c.req.raw;
  if (streams) return answer(ReadableStream.from(encoded(pieces(signal))));
  const text = await firstOf(pieces(AbortSignal.any([signal, AbortSignal.timeout(BRIEF_MS)])));
  return answer(`retry: ${RETRY_MS.brief}\n\n${text}`);
}

async function firstOf(texts: AsyncIterable<string>): Promise<string> {
  for await (const text of texts) if (text !== '') return text;
  return '';
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`retry: ${RETRY_MS.streams}\n\n`);
  for await (const text of texts) yield encoder.encode(text === '' ? ':\n\n' : text);
}

function answer(body: string | ReadableStream<Uint8Array> | null, status = 200): Response {
  const headers = {
    'cache-control': 'no-store',
    ...(body !== null && { 'content-type': 'text/event-stream' }),
  };
  return new Response(body, { status, headers });
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'hono';
import type { WatchContext } from './context.ts';
import { logFault } from './fault.ts';

/** API Gateway's integrations end after 30 seconds ("Quotas for HTTP APIs"). */
const BRIEF_MS = 25_000;

/** Clients get a sign of life at least this often. */
const QUIET_MS = 15_000;

/** When a client comes back after an answer, in milliseconds: at once if answers are brief. */
const RETRY_MS = { streams: 1_000, brief: 100 };

/**
 * Answers with server-sent events, or with the first piece of them where answers reach a client whole.
 * @param pieces the text of events; "" for a sign of life. Undefined: there are no more, and the client does not come
 *   back (https://html.spec.whatwg.org, "Server-sent events")
 */
export async function answerStream(
  c: Context,
  pieces: ((signal: AbortSignal) => AsyncIterable<string>) | undefined,
  context: WatchContext,
): Promise<Response> {
  if (pieces === undefined) return answer(null, 204);
  const { signal } = c.req.raw;
  if (context.streams) return answer(ReadableStream.from(encoded(logged(pieces(signal), c, context))));
  const text = await firstOf(pieces(AbortSignal.any([signal, AbortSignal.timeout(BRIEF_MS)])));
  return answer(`retry: ${RETRY_MS.brief}\n\n${text}`);
}

/** A fault on our side cuts an answer that has begun: its client comes back, and the log has the reason. */
async function* logged(
  texts: AsyncIterable<string>,
  c: Context,
  context: WatchContext,
): AsyncGenerator<string> {
  try {
    yield* texts;
  } catch (thrown) {
    if (!c.req.raw.signal.aborted) logFault(thrown, c, context);
    throw thrown;
  }
}

async function firstOf(texts: AsyncIterable<string>): Promise<string> {
  for await (const text of texts) if (text !== '') return text;
  return '';
}

/** With a sign of life where nothing else comes. */
async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`retry: ${RETRY_MS.streams}\n\n`);
  const pieces = texts[Symbol.asyncIterator]();
  try {
    for (let next = pieces.next(); ;) {
      const piece = await within(QUIET_MS, next);
      if (piece?.done) return;
      yield encoder.encode(piece?.value || ':\n\n');
      if (piece !== undefined) next = pieces.next();
    }
  } finally {
    void pieces.return?.();
  }
}

/** @returns undefined where it takes longer */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

function answer(body: string | ReadableStream<Uint8Array> | null, status = 200): Response {
  const headers = {
    'cache-control': 'no-store',
    ...(body !== null && { 'content-type': 'text/event-stream' }),
  };
  return new Response(body, { status, headers });
}

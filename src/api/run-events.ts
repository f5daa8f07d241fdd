import type { Context } from 'hono';
import { toAgUi, type AgUi } from '../events/ag-ui.ts';
import { fromCursor, toCursor, type Positions } from '../events/positions.ts';
import { createTeller, type Teller } from '../events/tell.ts';
import { isUnderWay, type Run } from '../runs/run.ts';
import type { ApiPorts } from './ports.ts';
import { badField } from './problem.ts';
import { parseHeaders } from './request.ts';
import { EventsHeaders } from './schemas.ts';

/** API Gateway's integrations end after 30 seconds ("Quotas for HTTP APIs"). */
const BRIEF_MS = 25_000;

/** What one answer, or one piece of a longer one, holds at most: Lambda's answers end at 6 MB. */
const MAX_PIECE_CHARACTERS = 1024 ** 2;

/** When a client comes back after an answer, in milliseconds: at once where answers are brief. */
const RETRY_MS = { streams: 1_000, brief: 100 };

/**
 * A run with everything below it as server-sent events, from the one after `Last-Event-ID` on.
 * @throws {Problem} 400
 */
export async function answerEvents(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  const from = parseCursor(c, run);
  // A client that is told so does not come back (https://html.spec.whatwg.org, "Server-sent events").
  if (!isUnderWay(run) && from.get(run.path)?.closedBy === run.holder) return answer(null, 204);
  const teller = createTeller<AgUi>(run, (event) => toAgUi(run.id, event), from);
  if (!ports.streams) {
    const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(BRIEF_MS)]);
    return answer(`retry: ${RETRY_MS.brief}\n\n${await firstOf(pieces(teller, run, ports, signal))}`);
  }
  const bytes = encoded(pieces(teller, run, ports, c.req.raw.signal));
  return answer(ReadableStream.from(bytes));
}

function parseCursor(c: Context, run: Run): Positions {
  const { 'last-event-id': id = '' } = parseHeaders(c, EventsHeaders);
  if (id === '') return new Map();
  const positions = fromCursor(run.id, id);
  // What never was is waited for without end.
  const isAhead = (positions?.get(run.path)?.closedBy ?? 0) > run.holder;
  if (positions === undefined || isAhead) {
    throw badField('last-event-id', 'must be the id of an event of this run');
  }
  return positions;
}

/** The text of events as they happen, until the run has ended or nobody carries it out; "" for a sign of life. */
async function* pieces(
  teller: Teller<AgUi>,
  run: Run,
  ports: ApiPorts,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const closedBefore = teller.closedBy();
  const from = new Map([...teller.positions].map(([path, position]) => [path, { ...position }]));
  for await (const { records, isAbandoned } of ports.look(run, signal, from)) {
    let text = '';
    for (const event of teller.news(records)) {
      text += `id: ${toCursor(run.id, teller.positions)}\ndata: ${JSON.stringify(event)}\n\n`;
      if (text.length < MAX_PIECE_CHARACTERS) continue;
      yield text;
      text = '';
    }
    yield text;
    if (isAbandoned || teller.closedBy() > closedBefore) return;
  }
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

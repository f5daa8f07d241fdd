import type { ServerContext } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { ApiContext } from '../context.ts';
import { clientOf, keyPartsOf, maySee } from '../subject.ts';
import { refusedInitialize } from './refused.ts';

// In the protocol's older era, a client over HTTP cancels a call with a request of its own, which may reach another
// process. A session, which is only an id, tells which of all calls it means.

const SESSION_HEADER = 'mcp-session-id';

/** Both messages that matter here are short, so larger bodies are not read for them. */
const MOST_BYTES = 16_384;

const Message = v.variant('method', [
  v.looseObject({ method: v.literal('initialize') }),
  v.object({
    method: v.literal('notifications/cancelled'),
    params: v.object({ requestId: v.union([v.string(), v.number()]) }),
  }),
]);

const CANCELLED = { run: '', digest: 'cancelled' };

/** Gives clients of the older era sessions if they connect as they should, and stops the runs of calls that they cancel. */
export function withCancelledCalls(
  serve: (request: Request) => Promise<Response>,
  context: ApiContext,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const message = await readMessage(request);
    const refused = refusedInitialize(message);
    if (refused !== undefined) return Response.json(refused);
    const session = request.headers.get(SESSION_HEADER);
    if (message?.method === 'notifications/cancelled' && session !== null) {
      await cancel(session, message.params.requestId, context);
    }
    const response = await serve(request);
    if (message?.method !== 'initialize' || !response.ok) return response;
    const { status, statusText, body } = response;
    const headers = new Headers(response.headers);
    headers.set(SESSION_HEADER, randomUUID());
    return new Response(body, { status, statusText, headers });
  };
}

/**
 * Notes that a run carries out a call. Noting and cancelling bind the same key, and the first binding stays, so one of
 * the two sees the other.
 * @returns whether the call has been cancelled already
 */
export async function noteCall(
  run: string,
  { http, mcpReq }: ServerContext,
  context: ApiContext,
): Promise<boolean> {
  const session = http?.req?.headers.get(SESSION_HEADER);
  if (session === null || session === undefined) return false;
  const key = keyOf(session, mcpReq.id, context);
  const bound = await context.environment.once(key, { run, digest: 'call' });
  return bound.digest === CANCELLED.digest;
}

async function cancel(session: string, id: string | number, context: ApiContext): Promise<void> {
  const { environment } = context;
  const { run: bound } = await environment.once(keyOf(session, id, context), CANCELLED);
  const run = bound === '' ? undefined : await environment.records.run(bound);
  // One that cannot be stopped has ended.
  if (run !== undefined && maySee(run, context))
    await environment.stop(run, 'its client cancelled the call', clientOf(run)).catch(() => {});
}

function keyOf(session: string, id: string | number, context: ApiContext): string {
  return `mcp call ${JSON.stringify([session, id, ...keyPartsOf(context)])}`;
}

async function readMessage(request: Request): Promise<v.InferOutput<typeof Message> | undefined> {
  const length = Number(request.headers.get('content-length') ?? Infinity);
  if (request.method !== 'POST' || length > MOST_BYTES) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Message), await request.clone().text());
  return read.success ? read.output : undefined;
}

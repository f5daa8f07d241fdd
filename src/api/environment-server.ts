import type { Context } from 'hono';
import { proxy } from 'hono/proxy';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { ConfigError, messageOf } from '../errors.ts';
import { limitBody } from './limit-body.ts';
import { startGuardedServer, type GuardedServer, type GuardedServerOptions } from './guarded-server.ts';
import { ROUTES } from './routes.ts';
import { Problem } from './problem.ts';

export interface EnvironmentServerOptions extends GuardedServerOptions {
  /** `dev` */
  environment: string;
  /** Where its API is, without a path. */
  apiUrl: string;
  /** Sends a request to the API, signed as the user. */
  send: (request: Request) => Promise<Response>;
}

/**
 * The page and the API of a deployed environment, for this machine only: requests are signed and sent on, so callers
 * may do what the user's own credentials may.
 * @throws {ConfigError} if it would listen beyond loopback, or the port is taken
 */
export async function startEnvironmentServer(options: EnvironmentServerOptions): Promise<GuardedServer> {
  if (options.access.names === undefined) {
    throw new ConfigError(
      `requests are signed with your credentials, so only this machine may send them: omit --host ${options.access.host}`,
    );
  }
  const routes = new Hono();
  const limit = limitBody();
  for (const { path } of Object.values(ROUTES)) {
    routes.on(['GET', 'POST'], path.replaceAll(/\{(\w+)\}/g, ':$1'), limit, (c) => forward(c, options));
  }
  routes.all('*', (c) => {
    throw new Problem(404, `there is no ${c.req.path} here`);
  });
  return startGuardedServer(options, routes);
}

/** What the API reads of a request; neither what browsers add, nor the token of this server, is its business. */
const HEADERS = ['accept', 'content-type', 'idempotency-key', 'last-event-id'];

async function forward(
  c: Context,
  { apiUrl, environment, send }: EnvironmentServerOptions,
): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  // A path that is resolved as a link is could lead to another host.
  const url = Object.assign(new URL(apiUrl), { pathname, search });
  const headers = HEADERS.flatMap((name) => {
    const value = c.req.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const body = await c.req.arrayBuffer();
  const { signal } = c.req.raw;
  try {
    const response = await proxy(url, {
      method: c.req.method,
      headers: Object.fromEntries(headers),
      body: body.byteLength > 0 ? body : null,
      signal,
      customFetch: send,
    });
    await assertOwnWords(response, environment);
    const { body: answered } = response;
    const isStream = response.headers.get('content-type') === 'text/event-stream' && answered !== null;
    const whole = isStream ? untilBroken(answered) : await response.arrayBuffer();
    return new Response(response.status === 204 ? null : whole, response);
  } catch (thrown) {
    if (thrown instanceof Problem) throw thrown;
    if (signal.aborted) throw new Problem(400, 'the client closed the request');
    throw new Problem(502, messageOf(thrown));
  }
}

/** Ends where the environment's end of it is lost, too: whoever follows events comes back for the rest. */
function untilBroken(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const piece = await reader.read().catch(() => undefined);
      if (piece?.value === undefined) controller.close();
      else controller.enqueue(piece.value);
    },
    // At once, and not with the next piece.
    cancel: (reason) => reader.cancel(reason),
  });
}

const GatewayError = v.pipe(v.string(), v.parseJson(), v.object({ message: v.string() }));

/**
 * What goes wrong in the API is a problem. Whatever else is an error comes from API Gateway, which refuses requests in
 * words of its own.
 * @throws {Problem}
 */
async function assertOwnWords(response: Response, environment: string): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok || response.status === 304 || type.startsWith('application/problem+json')) return;
  const text = await response.text();
  const parsed = v.safeParse(GatewayError, text);
  const said = parsed.success ? parsed.output.message : text.slice(0, 200);
  const answered = `API Gateway answered ${response.status}: ${said}`;
  if (response.status !== 403) throw new Problem(502, answered);
  throw new Problem(
    403,
    `${answered}; check your credentials, and that they have execute-api:Invoke on the API of environment "${environment}"`,
  );
}

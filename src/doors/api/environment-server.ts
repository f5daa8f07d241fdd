import type { Context } from 'hono';
import { proxy } from 'hono/proxy';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { ConfigError, messageOf } from '../../errors.ts';
import { A2A_PATH, CARD_PATH, DOOR_PATTERNS } from './door-paths.ts';
import { cardFoundHere } from './environment-cards.ts';
import { createEnvironmentFiles } from './environment-files.ts';
import { limitBody, limitBodyWithFiles } from './limit-body.ts';
import { startGuardedServer, type GuardedServer, type GuardedServerOptions } from './guarded-server.ts';
import { patternOf, ROUTES } from './routes.ts';
import { nothingAt, Problem } from './problem.ts';

export interface EnvironmentServerOptions extends GuardedServerOptions {
  /** `dev` */
  environment: string;
  api: SignedPlace;
  /** Where clients of OpenAI and MCP find agents; absent where the environment has no doors for them. */
  doors?: SignedPlace | undefined;
}

/** The address that requests are sent on to. */
export interface SignedPlace {
  /** The service that refuses requests there in words of its own, and the permissions that it asks for. */
  service: string;
  permissions: string;
  /**
   * Whether a client that loses an answer may ask again, and continue a stream. Clients of OpenAI repeat requests that
   * are answered with 502, and each repetition is another run.
   */
  isRepeatable: boolean;
  /** Its path is not of interest. */
  url: string;
  /** Sends a request there, signed as the user. */
  send: (request: Request) => Promise<Response>;
}

/**
 * The page, the API and the doors of a deployed environment, for this machine only: requests are signed and sent on, so
 * callers may do what the user's own credentials may.
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
  const limitWithFiles = limitBodyWithFiles(';base64,', '"data"', '"raw"', '"bytes"');
  const toApi = (c: Context) => forward(c, options.api, options.environment);
  const files = createEnvironmentFiles(toApi);
  routes.post(patternOf(ROUTES.placeAttachment), limit, files.place);
  routes.put(patternOf(ROUTES.putAttachment), limit, (c) => files.put(c, c.req.param('hash') ?? ''));
  routes.get(patternOf(ROUTES.getAttachment), files.read);
  for (const route of Object.values(ROUTES)) {
    if (route === ROUTES.runAgUi) continue;
    routes.on(['GET', 'POST'], patternOf(route), limit, toApi);
  }
  const toDoors = (c: Context) => {
    const { doors, environment } = options;
    if (doors !== undefined) return forward(c, doors, environment);
    throw new Problem(
      404,
      `environment "${environment}" has no ${c.req.path}: set "doors": true among its settings, and deploy it`,
    );
  };
  for (const path of [CARD_PATH, `${A2A_PATH}/:agent${CARD_PATH}`]) {
    routes.get(path, async (c) => cardFoundHere(await toDoors(c), c.req.url));
  }
  for (const path of [...DOOR_PATTERNS, patternOf(ROUTES.runAgUi)]) {
    routes.all(path, limitWithFiles, toDoors);
  }
  routes.all('*', (c) => {
    throw nothingAt(c.req.path);
  });
  return startGuardedServer(options, routes);
}

/** The headers that are passed on: the browser's additions and this server's token do not concern the environment. */
const HEADERS = [
  'a2a-version',
  'accept',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'traceparent',
];

async function forward(c: Context, place: SignedPlace, environment: string): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  // A path that is resolved as a link is could lead to another host.
  const url = Object.assign(new URL(place.url), { pathname, search });
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
      customFetch: place.send,
    });
    await assertOwnWords(response, place, environment);
    const { body: answered } = response;
    const isStream = response.headers.get('content-type') === 'text/event-stream' && answered !== null;
    const stream = place.isRepeatable && isStream ? untilBroken(answered) : answered;
    const whole = isStream ? stream : await response.arrayBuffer();
    return new Response(response.status === 204 ? null : whole, response);
  } catch (thrown) {
    if (thrown instanceof Problem) throw thrown;
    if (signal.aborted) throw new Problem(400, 'the client closed the request');
    throw new Problem(place.isRepeatable ? 502 : 422, messageOf(thrown));
  }
}

/** Also ends when the environment's end is lost: clients that follow events come back for the rest. */
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

/** The errors that OpenAI's clients and those of MCP read. */
const OwnError = v.pipe(v.string(), v.parseJson(), v.object({ error: v.object({ message: v.string() }) }));
/** Errors of API Gateway, and of Lambda with a capital letter. */
const ServiceError = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.object({ message: v.string() }),
    v.pipe(
      v.object({ Message: v.string() }),
      v.transform(({ Message }) => ({ message: Message })),
    ),
  ]),
);

/**
 * An error of our own functions is a problem, or an error in the form of its door. Any other error comes from the
 * services in front of the function, which refuse requests in their own words.
 * @throws {Problem}
 */
async function assertOwnWords(
  response: Response,
  { service, permissions, isRepeatable }: SignedPlace,
  environment: string,
): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok || [302, 304].includes(response.status) || type.startsWith('application/problem+json'))
    return;
  const text = await response.clone().text();
  if (v.safeParse(OwnError, text).success) return;
  const parsed = v.safeParse(ServiceError, text);
  const said = parsed.success ? parsed.output.message : text.slice(0, 200);
  const answered = `${service} answered ${response.status}: ${said}`;
  if (response.status !== 403) throw new Problem(isRepeatable ? 502 : 422, answered);
  throw new Problem(
    403,
    `${answered}; check your credentials, and that they have ${permissions} of environment "${environment}"`,
  );
}

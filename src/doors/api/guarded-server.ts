import type { Instant } from '../../core/records/times.ts';
import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono/tiny';
import { ConfigError, messageOf } from '../../errors.ts';
import { refuseForeignPages, requireToken, type LocalAccess } from './local-access.ts';
import { ofProblem, toErrorResponse } from './openai/error.ts';
import { loggedPath, OPENAI_PATH } from './door-paths.ts';
import { ROUTES } from './routes.ts';
import { noSniffing } from './no-sniffing.ts';
import { createPage } from './page.ts';
import { Problem, toResponse } from './problem.ts';

export interface GuardedServerOptions {
  access: LocalAccess;
  /** 0 for any that is free. */
  port: number;
  /** Absolute: the folder of the page's files; absent: where the build leaves them. */
  page?: string;
  /** The environment that the page names; absent: it shows a folder. */
  environment?: string;
  /** Serves addresses that are followed from elsewhere, such as answer links, which need nothing but the address. */
  followed?: Hono;
  now: () => Instant;
  /** Takes a line for people, without its newline. */
  tell: (line: string) => void;
}

export interface GuardedServer {
  url: string;
  /** Takes no more requests, and ends those that are under way. */
  close(): Promise<void>;
}

/**
 * Serves the page and these routes to authorised callers, and reports each request in one line.
 * @throws {ConfigError} if the port is taken
 */
export async function startGuardedServer(
  { access, port: wanted, page, environment, followed, now, tell }: GuardedServerOptions,
  routes: Hono,
): Promise<GuardedServer> {
  let port = wanted;
  const app = new Hono();
  app.onError((thrown, c) => {
    if (!(thrown instanceof Problem)) throw thrown;
    if (c.req.path.startsWith(OPENAI_PATH)) return toErrorResponse(thrown.status, ofProblem(thrown));
    return toResponse(thrown);
  });
  app.use(requestLog(now, tell), noSniffing);
  app.use(closeAfterLongBody);
  // It comes from mails and other pages.
  if (followed !== undefined) app.route('/', followed);
  app.use(async (c, next) => {
    refuseForeignPages(c, access, port);
    return next();
  });
  // The files of the page and the server's health are public.
  app.route('/', createPage({ folder: page, config: { ...(environment !== undefined && { environment }) } }));
  app.use(async (c, next) => {
    if (c.req.path !== ROUTES.getHealth.path) requireToken(c, access);
    return next();
  });
  app.route('/', routes);

  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, access.address);
  try {
    await once(server, 'listening');
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const why = isTaken ? 'the port is in use' : messageOf(error);
    throw new ConfigError(
      `cannot listen on ${access.host}:${port}: ${why}; choose another with --port or --host`,
      { cause: error },
    );
  }
  const address = server.address();
  if (address !== null && typeof address !== 'string') port = address.port;

  return {
    url: `http://${access.host}:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * The rest of a body that is too long (413) is not read, so no other request can follow it on its connection, and
 * clients must not send one there (RFC 9110, 15.5.14).
 */
const closeAfterLongBody: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.status === 413) c.header('connection', 'close');
};

/** One line for each request, without its query and body and the secret of an answer link: they are confidential. */
function requestLog(now: () => Instant, tell: (line: string) => void): MiddlewareHandler {
  return async (c, next) => {
    const started = performance.now();
    await next();
    const milliseconds = Math.round(performance.now() - started);
    const status = c.req.raw.signal.aborted ? 'closed by the client' : c.res.status;
    const path = loggedPath(new URL(c.req.url).pathname);
    tell(`${new Date(now()).toISOString()} ${c.req.method} ${path} ${status} ${milliseconds} ms`);
  };
}

import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono/tiny';
import type { AgentSource } from '../agent/agent-source.ts';
import { ConfigError, messageOf } from '../errors.ts';
import type { LocalPipeline } from '../pipeline/local-pipeline.ts';
import type { Clock } from '../schedule/follow-schedules.ts';
import { createApi } from './api.ts';
import { refuseForeignPages, requireToken, type LocalAccess } from './local-access.ts';
import { localPorts } from './local-ports.ts';
import { ofProblem, toErrorResponse } from './openai/error.ts';
import { createOpenAiApi, OPENAI_PATH } from './openai/openai-api.ts';
import { OPERATIONS } from './operations.ts';
import { createPage, isOfPage } from './page.ts';
import { Problem, toResponse } from './problem.ts';
import { serveSchedules } from './served-schedules.ts';

export interface LocalServerOptions {
  pipeline: LocalPipeline;
  source: AgentSource;
  access: LocalAccess;
  /** 0 for any that is free. */
  port: number;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  clock: Clock;
  /** Takes a line for people, without its newline. */
  tell: (line: string) => void;
}

export interface LocalServer {
  url: string;
  /** Takes no more requests, stops what runs and waits until it is closed in the store. */
  close(): Promise<void>;
}

/**
 * The HTTP API over the local pipeline, with the schedules of its agents.
 * @throws {ConfigError} if the port is taken
 */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { pipeline, source, access, models, clock, tell } = options;
  const { store: runs, blobs, serving } = pipeline;
  const ports = localPorts({ pipeline, source, models, now: () => clock.now(), tell });
  const { executions } = ports;
  let port = options.port;

  const api = createApi(ports);
  const openAi = createOpenAiApi(ports);
  const app = new Hono();
  app.onError((thrown, c) => {
    if (!(thrown instanceof Problem)) throw thrown;
    if (c.req.path.startsWith(OPENAI_PATH)) return toErrorResponse(thrown.status, ofProblem(thrown));
    return toResponse(thrown);
  });
  app.use(requestLog(clock, tell));
  app.use(async (c, next) => {
    refuseForeignPages(c, access, port);
    const isOpen = c.req.path === OPERATIONS.getHealth.path || isOfPage(c.req.path);
    if (!isOpen) requireToken(c, access);
    return next();
  });
  app.route('/', createPage());
  app.get('/answers/*', async (c) => {
    const text = await blobs.get(c.req.path.slice(1)).catch(() => undefined);
    return text === undefined ? toResponse(new Problem(404, `there is no ${c.req.path} here`)) : c.text(text);
  });
  let mcp: Promise<(request: Request) => Promise<Response>> | undefined;
  // Loaded with the first request: it is as large as everything else here.
  const loadMcp = async () => (await import('./mcp/http.ts')).createMcpOverHttp(ports);
  app.all('/mcp', async (c) => (await (mcp ??= loadMcp()))(c.req.raw));
  app.all(`${OPENAI_PATH}*`, (c) => openAi.fetch(c.req.raw));
  app.all('*', (c) => api.fetch(c.req.raw));

  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, access.address);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError(
      `cannot listen on ${access.host}:${port}: ${messageOf(error)}; choose another with --port or --host`,
      { cause: error },
    );
  }
  const address = server.address();
  if (address !== null && typeof address !== 'string') port = address.port;
  const url = `http://${access.host}:${port}`;
  await serving.begin(url);

  const closing = new AbortController();
  const following = serveSchedules({ source, runs, executions, clock, tell }, closing.signal);

  return {
    url,
    async close() {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
      await following;
      await executions.stopAll('the server was stopped');
      await serving.end();
    },
  };
}

/** One line for each request: neither its query nor its body, which may hold what is nobody's business. */
function requestLog(clock: Clock, tell: (line: string) => void): MiddlewareHandler {
  return async (c, next) => {
    const started = performance.now();
    await next();
    const milliseconds = Math.round(performance.now() - started);
    const status = c.req.raw.signal.aborted ? 'closed by the client' : c.res.status;
    const { pathname } = new URL(c.req.url);
    tell(`${new Date(clock.now()).toISOString()} ${c.req.method} ${pathname} ${status} ${milliseconds} ms`);
  };
}

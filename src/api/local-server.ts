import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono/tiny';
import type { AgentSource } from '../agent/agent-source.ts';
import { ConfigError, messageOf } from '../errors.ts';
import { LOCAL_POLL_MS } from '../events/poll.ts';
import { createSharedPolls } from '../events/shared-polls.ts';
import { closeInterrupted } from '../pipeline/close-interrupted.ts';
import type { LocalPipeline } from '../pipeline/local-pipeline.ts';
import { sendToAgent } from '../residents/send-to-agent.ts';
import { createLockedExecutions } from '../pipeline/locked-executions.ts';
import type { RunEvent } from '../runs/event.ts';
import type { Clock } from '../schedule/follow-schedules.ts';
import { createApi } from './api.ts';
import { refuseForeignPages, requireToken, type LocalAccess } from './local-access.ts';
import { OPERATIONS } from './operations.ts';
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

/** Long enough to fetch what an answer led to; nothing expires here. */
const LINK_MS = 15 * 60_000;

/**
 * The HTTP API over the local pipeline, with the schedules of its agents.
 * @throws {ConfigError} if the port is taken
 */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { pipeline, source, access, models, clock, tell } = options;
  const { store: runs, blobs, locks, serving } = pipeline;
  const executions = createLockedExecutions(pipeline, (thrown) => tell(`Error: ${messageOf(thrown)}`));
  let port = options.port;
  pipeline.onEvent((event) => tellOf(event, tell));

  const isCarriedOut = (root: string) => locks.isHeld(root);
  const polls = createSharedPolls({ store: runs, isCarriedOut, pollMs: LOCAL_POLL_MS });
  const api = createApi({
    source,
    runs,
    executions,
    models,
    isCarriedOut,
    look: (top, signal) => polls.follow(top, signal),
    streams: true,
    closeInterrupted: (run, cause) => closeInterrupted(run, cause, pipeline, () => clock.now()),
    async publish(key, text) {
      await blobs.put(key, text);
      return { url: `/${key}`, expiresAt: clock.now() + LINK_MS };
    },
    wakeAsker: pipeline.wakeAsker,
    send: async (message) => {
      await sendToAgent(message, { ...pipeline, store: runs, executions, emit: () => {}, now: Date.now });
    },
    now: () => clock.now(),
    log: ({ id, method, path, thrown }) => {
      const trace = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      tell(`Error: ${id}: ${method} ${path}: ${trace}`);
    },
  });
  const app = new Hono();
  app.onError((thrown) => {
    if (thrown instanceof Problem) return toResponse(thrown);
    throw thrown;
  });
  app.use(requestLog(clock, tell));
  app.use(async (c, next) => {
    refuseForeignPages(c, access, port);
    if (c.req.path !== OPERATIONS.getHealth.path) requireToken(c, access);
    return next();
  });
  app.get('/answers/*', async (c) => {
    const text = await blobs.get(c.req.path.slice(1)).catch(() => undefined);
    return text === undefined ? toResponse(new Problem(404, `there is no ${c.req.path} here`)) : c.text(text);
  });
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

/** Tells of what nobody may be there to read in an answer: warnings, and runs that failed. */
function tellOf(event: RunEvent, tell: (line: string) => void): void {
  if (event.type === 'warning') tell(`Warning: ${event.message}`);
  // A sub-agent's failure is its parent's matter.
  if (event.type !== 'run_closed' || event.depth > 0) return;
  if (event.status === 'failed' || event.status === 'timed_out') {
    tell(`Error: run ${event.run} ${event.status.replace('_', ' ')}: ${event.reason}`);
  }
}

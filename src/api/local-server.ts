import { Hono } from 'hono/tiny';
import type { AgentSource } from '../agent/agent-source.ts';
import type { LocalPipeline } from '../pipeline/local-pipeline.ts';
import type { Clock } from '../schedule/follow-schedules.ts';
import { createApi } from './api.ts';
import { startGuardedServer, type GuardedServer, type GuardedServerOptions } from './guarded-server.ts';
import { localPorts } from './local-ports.ts';
import { MCP_PATH, OPENAI_PATH } from './door-paths.ts';
import { createDoors } from './doors.ts';
import { nothingAt, toResponse } from './problem.ts';
import { serveSchedules } from './served-schedules.ts';

export interface LocalServerOptions extends Omit<GuardedServerOptions, 'now'> {
  pipeline: LocalPipeline;
  source: AgentSource;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  clock: Clock;
}

/**
 * The page and the HTTP API over the local pipeline, with the schedules of its agents. Closing it also stops what runs,
 * and waits until that is closed in the store.
 * @throws {ConfigError} if the port is taken
 */
export async function startLocalServer(options: LocalServerOptions): Promise<GuardedServer> {
  const { pipeline, source, models, clock, tell } = options;
  const { store: runs, blobs, serving } = pipeline;
  const now = () => clock.now();
  const ports = localPorts({ pipeline, source, models, now, tell });
  const { executions } = ports;

  const api = createApi(ports);
  const doors = createDoors(ports);
  const routes = new Hono();
  routes.get('/answers/*', async (c) => {
    const text = await blobs.get(c.req.path.slice(1)).catch(() => undefined);
    return text === undefined ? toResponse(nothingAt(c.req.path)) : c.text(text);
  });
  for (const path of [MCP_PATH, `${OPENAI_PATH}*`]) routes.all(path, (c) => doors.fetch(c.req.raw));
  routes.all('*', (c) => api.fetch(c.req.raw));

  const server = await startGuardedServer({ ...options, now }, routes);
  await serving.begin(server.url);

  const closing = new AbortController();
  const following = serveSchedules({ source, runs, executions, clock, tell }, closing.signal);

  return {
    url: server.url,
    async close() {
      closing.abort();
      await server.close();
      await following;
      await executions.stopAll('the server was stopped');
      await serving.end();
    },
  };
}

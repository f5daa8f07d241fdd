import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono/tiny';
import { createApi } from './api.ts';
import { Problem, toResponse } from './problem.ts';
import { startOnce } from './start-run.ts';
import type { AgentSource } from '../agent/agent-source.ts';
import { loadAgent } from '../agent/load-agent.ts';
import { tickRunId } from '../runs/run-id.ts';
import { ConfigError, messageOf } from '../errors.ts';
import { followSchedules, type Clock, type ScheduledAgent } from '../schedule/follow-schedules.ts';
import { closeInterrupted } from '../pipeline/close-interrupted.ts';
import type { LocalPipeline } from '../pipeline/local-pipeline.ts';
import { createLockedExecutions } from '../pipeline/locked-executions.ts';
import { loopbackGuard } from './loopback-guard.ts';

export interface LocalServerOptions {
  pipeline: LocalPipeline;
  source: AgentSource;
  /** 0 for any that is free. */
  port: number;
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
 * The HTTP API on 127.0.0.1, over the local pipeline, with the schedules of its agents.
 * @throws {ConfigError} if the port is taken
 */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { pipeline, source, clock, tell } = options;
  const { store: runs, blobs, locks, serving } = pipeline;
  const executions = createLockedExecutions(pipeline, (thrown) => tell(`Error: ${messageOf(thrown)}`));
  let port = options.port;
  pipeline.onEvent((event) => event.type === 'warning' && tell(`Warning: ${event.message}`));

  const api = createApi({
    source,
    runs,
    executions,
    isCarriedOut: (root) => locks.isHeld(root),
    closeInterrupted: (run, cause) => closeInterrupted(run, cause, pipeline, () => clock.now()),
    async publish(key, text) {
      await blobs.put(key, text);
      return { url: `http://127.0.0.1:${port}/${key}`, expiresAt: clock.now() + LINK_MS };
    },
    now: () => clock.now(),
    log: ({ id, method, path, thrown }) => {
      const trace = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      tell(`Error: ${id}: ${method} ${path}: ${trace}`);
    },
  });
  const app = new Hono();
  app.use(loopbackGuard(() => port));
  app.get('/answers/*', async (c) => {
    const text = await blobs.get(c.req.path.slice(1)).catch(() => undefined);
    return text === undefined ? toResponse(new Problem(404, `there is no ${c.req.path} here`)) : c.text(text);
  });
  app.all('*', (c) => api.fetch(c.req.raw));

  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError(`cannot listen on port ${port}: ${messageOf(error)}; choose another with --port`, {
      cause: error,
    });
  }
  const address = server.address();
  if (address !== null && typeof address !== 'string') port = address.port;
  const url = `http://127.0.0.1:${port}`;
  await serving.begin(url);

  const closing = new AbortController();
  const told = new Set<string>();
  const tellOnce = (line: string) => {
    if (!told.has(line)) tell(line);
    told.add(line);
  };
  const startTick = async ({ agent, schedule }: ScheduledAgent, tick: number) => {
    const id = tickRunId(agent, tick);
    try {
      const { agent: loaded } = await loadAgent(agent, source);
      const { prompt, budget } = schedule;
      const request = { agent, prompt, ...(budget !== undefined && { overrides: { budget } }) };
      await startOnce(id, request, loaded, { runs, executions, now: clock.now });
      tell(`${new Date(tick).toISOString()} ${agent}: run ${id}`);
    } catch (error) {
      if (!(await locks.isHeld(id))) tell(`Error: ${agent} did not start on schedule: ${messageOf(error)}`);
    }
  };
  const following = followSchedules(
    () => scheduledAgents(source, tellOnce),
    startTick,
    clock,
    closing.signal,
  );

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

/** Agents with a schedule; of those with a fault it is told, and the others go on. */
async function scheduledAgents(source: AgentSource, tell: (line: string) => void): Promise<ScheduledAgent[]> {
  const scheduled: ScheduledAgent[] = [];
  const warn = (error: unknown) => tell(`Warning: ${messageOf(error)}`);
  const names = await source.list().catch((error: unknown) => {
    warn(error);
    return [];
  });
  for (const agent of names) {
    try {
      const { schedule } = (await loadAgent(agent, source)).agent;
      if (schedule !== undefined) scheduled.push({ agent, schedule });
    } catch (error) {
      warn(error);
    }
  }
  return scheduled;
}

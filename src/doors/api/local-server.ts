import { Hono } from 'hono/tiny';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { Folder } from '../../places/local/local-environment.ts';
import type { EvalReport } from '../../core/reports/eval-report.ts';
import { defined } from '../../defined.ts';
import type { ScheduleClock } from '../../authoring/schedule/follow-schedules.ts';
import { createAnswerPage } from './answer-page.ts';
import { createApi } from './api.ts';
import { createCallbackPage } from './callback-page.ts';
import type { AgentsContext } from './context.ts';
import { startGuardedServer, type GuardedServer, type GuardedServerOptions } from './guarded-server.ts';
import { folderContext } from './folder-context.ts';
import { DOOR_PATTERNS } from './door-paths.ts';
import { createDoors } from './doors.ts';
import { nothingAt, toResponse } from './problem.ts';
import { patternOf, ROUTES } from './routes.ts';
import { serveSchedules } from './served-schedules.ts';

export interface LocalServerOptions extends Omit<GuardedServerOptions, 'now'> {
  folder: Folder;
  source: AgentSource;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  /** As in `ApiContext`. */
  a2a?: string | undefined;
  openings: AgentsContext['openings'];
  /** Absent: nobody signs in to servers here. */
  signIns?: AgentsContext['signIns'];
  /** Absent: none are listed. */
  evaluations?: () => Promise<EvalReport[]>;
  clock: ScheduleClock;
  /** Whether it goes on with what earlier servers of this folder have left. */
  takesUp: boolean;
}

export interface LocalServer extends GuardedServer {
  /** The same, but runs under way are not stopped: the next server of this folder continues them. */
  leave(): Promise<void>;
}

/**
 * The page and the HTTP API over a folder, with the schedules of its agents. Closing it also stops its runs, and waits
 * until they are closed in the store.
 * @throws {ConfigError} if the port is taken, or runs cannot be kept in the folder
 */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { folder, source, models, a2a, openings, signIns, evaluations, clock, takesUp, tell } = options;
  const { blobs, serving } = folder.local;
  const now = () => clock.now();
  const context = folderContext({ environment: folder, source, models, a2a, now, tell });

  const api = createApi({ ...context, openings, ...defined({ evaluations, signIns }) });
  const doors = createDoors(context);
  const routes = new Hono();
  routes.get('/answers/*', async (c) => {
    const text = await blobs.get(c.req.path.slice(1)).catch(() => undefined);
    return text === undefined ? toResponse(nothingAt(c.req.path)) : c.text(text);
  });
  for (const path of DOOR_PATTERNS) routes.all(path, (c) => doors.fetch(c.req.raw));
  routes.post(patternOf(ROUTES.runAgUi), (c) => doors.fetch(c.req.raw));
  routes.all('*', (c) => api.fetch(c.req.raw));

  const followed = new Hono().route('/', createAnswerPage(folder)).route('/', createCallbackPage());
  const server = await startGuardedServer({ ...options, followed, now }, routes);
  try {
    const other = await serving.other();
    if (other !== undefined) {
      tell(
        `process ${other.pid} serves this folder, too, at ${other.url}: both show all runs, each stops its own alone with Ctrl-C, and schedules start agents once`,
      );
    }
    await serving.begin(server.url);
    if (takesUp) await (await folder.carrier()).takeUp(tell);
  } catch (thrown) {
    // As long as it listens, its process does not end.
    await server.close();
    throw thrown;
  }

  const closing = new AbortController();
  const following = serveSchedules({ source, environment: folder, clock, tell }, closing.signal);

  async function startNothingMore(): Promise<void> {
    closing.abort();
    await server.close();
    await following;
  }

  return {
    url: server.url,
    async close() {
      await startNothingMore();
      await folder.stopAll('the server was stopped');
      await serving.end();
    },
    async leave() {
      await startNothingMore();
      const left = await (await folder.carrier()).pipeline.leave();
      if (left.length > 0) tell(`left to the next cadre serve in this folder: ${left.join(', ')}`);
      else await serving.end();
    },
  };
}

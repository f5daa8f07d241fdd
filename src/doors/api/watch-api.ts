import type { Hono } from 'hono/tiny';
import type { WatchContext } from './context.ts';
import { assertOwnRoute } from './own-route.ts';
import { EVENT_ROUTES, ROUTES } from './routes.ts';
import { findRun } from './run-resources.ts';
import { ServedRoutes } from './served-routes.ts';

/**
 * The routes of the HTTP API for following runs. In an account they have a function of their own, since clients that
 * follow keep it busy without end. It writes nothing except that somebody is watching.
 */
export function createWatchApi(context: WatchContext): Hono {
  const routes = new ServedRoutes(context);
  serveEvents(routes);
  return routes.complete();
}

/** Few requests need all that events are made from. */
const STREAMS = {
  getTreeEvents: () => import('./tree-events.ts'),
  getWritingEvents: () => import('./writing-events.ts'),
  getEvents: () => import('./run-events.ts'),
};

export function serveEvents<Shared extends WatchContext>(routes: ServedRoutes<Shared>): void {
  for (const name of EVENT_ROUTES) {
    const route = ROUTES[name];
    routes.serve(route, async (c, context) => {
      assertOwnRoute(c, route);
      const run = await findRun(c.req.param('id') ?? '', context);
      return (await STREAMS[name]()).answerEvents(c, run, context);
    });
  }
}

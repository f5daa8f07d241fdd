import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import type * as v from 'valibot';
import type { WatchContext } from './context.ts';
import { answerFault } from './fault.ts';
import { limitBody } from './limit-body.ts';
import { noSniffing } from './no-sniffing.ts';
import { nothingAt, Problem, toResponse } from './problem.ts';
import { parseQuery } from './request.ts';
import { NoQuery } from './request-parameters.ts';
import { patternOf, type Route } from './routes.ts';
import { forCaller } from './subject.ts';

type Handle<Shared, Query> = (c: Context, context: Shared, query: Query) => Promise<Response> | Response;

/**
 * An application that serves some of `ROUTES`. Errors are problems (RFC 9457), which never hold an internal text. Access
 * is decided before a request comes here.
 */
export class ServedRoutes<Shared extends WatchContext> {
  readonly #app = new Hono();
  readonly #shared: Shared;
  readonly #allowed = new Map<string, string[]>();

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#app.onError((thrown, c) => {
      if (thrown instanceof Problem) return toResponse(thrown);
      return answerFault(thrown, c, shared);
    });
    this.#app.notFound((c) => toResponse(nothingAt(c.req.path)));
    this.#app.use(noSniffing, limitBody());
  }

  /** Serves a route that takes no query. */
  serve(route: Route, handle: Handle<Shared, object>): void {
    this.serveQuery(route, NoQuery, handle);
  }

  serveQuery<Query>(
    route: Route,
    schema: v.GenericSchema<unknown, Query>,
    handle: Handle<Shared, Query>,
  ): void {
    this.serveAll(route, (c, context) => handle(c, context, parseQuery(c, schema)));
  }

  /** Leaves the query to the handler. */
  serveAll(route: Route, handle: (c: Context, context: Shared) => Promise<Response> | Response): void {
    const pattern = patternOf(route);
    this.#app.on(route.method, pattern, (c) => handle(c, forCaller(c, this.#shared)));
    this.#allowed.set(pattern, [...(this.#allowed.get(pattern) ?? []), route.method.toUpperCase()]);
  }

  /** The application, once it has all of its routes. */
  complete(): Hono {
    for (const [pattern, methods] of this.#allowed) {
      this.#app.all(pattern, (c) =>
        toResponse(new Problem(405, `${c.req.path} does not take ${c.req.method}`), {
          headers: { allow: methods.join(', ') },
        }),
      );
    }
    return this.#app;
  }
}

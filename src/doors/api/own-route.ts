import type { Context } from 'hono';
import * as v from 'valibot';
import type { Route } from './routes.ts';
import { Problem } from './problem.ts';

/** The part of API Gateway's event that is read here, as in subject.ts. */
const Routed = v.object({ event: v.object({ routeKey: v.string() }) });

/**
 * An operation that is a permission of its own, or goes to a function of its own, has a route of its own in API Gateway. A
 * path that it takes for another one, because it is spelled with escapes, comes by the route for everything else and is
 * refused.
 * @throws {Problem} 403
 */
export function assertOwnRoute(c: Context, { method, path }: Route): void {
  const routed = v.safeParse(Routed, c.env);
  const own = `${method.toUpperCase()} ${path}`;
  if (!routed.success || routed.output.event.routeKey === own) return;
  throw new Problem(403, `this takes the permission for ${own}; write its path without escapes`);
}

import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { StoreUnavailableError } from '../../errors.ts';
import type { WatchContext } from './context.ts';
import { loggedPath } from './door-paths.ts';
import { Problem, toResponse } from './problem.ts';

/**
 * The answer for a fault on our side: the log has the fault, and the client an id for it. If the fault passes, the
 * client learns that it can try again.
 */
export function answerFault(thrown: unknown, c: Context, context: Pick<WatchContext, 'log'>): Response {
  // The client has gone, and the consequences of a cancelled request are no fault.
  if (c.req.raw.signal.aborted) return toResponse(new Problem(400, 'the client closed the request'));
  const id = logFault(thrown, c, context);
  return toResponse(faultOf(thrown, 'this id'), { id });
}

/** @param id under which the log has it, as the client reads it */
export function faultOf(thrown: unknown, id: string): Problem {
  return thrown instanceof StoreUnavailableError
    ? new Problem(
        503,
        `a service is throttled or does not answer: try again later; the log has the details under ${id}`,
      )
    : new Problem(500, `the request failed; the log has the details under ${id}`);
}

/** @returns the id under which the log has it */
export function logFault(thrown: unknown, { req }: Context, { log }: Pick<WatchContext, 'log'>): string {
  const id = randomUUID();
  log({ id, method: req.method, path: loggedPath(req.path), thrown });
  return id;
}

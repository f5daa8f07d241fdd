import type { MiddlewareHandler } from 'hono';
import { Problem, toResponse } from './problem.ts';
import { hostsOf, refusalOf } from '../asl/server/http-origin.ts';

/**
 * Keeps web pages away from a server on loopback. No answer permits other origins (CORS).
 * @param port where the server listens
 */
export function loopbackGuard(port: () => number): MiddlewareHandler {
  return async (c, next) => {
    const headers = {
      host: c.req.header('host'),
      origin: c.req.header('origin'),
      site: c.req.header('sec-fetch-site'),
    };
    const refusal = refusalOf(headers, hostsOf(port()));
    return refusal === undefined ? next() : toResponse(new Problem(403, refusal));
  };
}

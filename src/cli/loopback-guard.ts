import type { MiddlewareHandler } from 'hono';
import { Problem, toResponse } from '../api/problem.ts';

/**
 * Keeps web pages away from a server on loopback, which every program of this machine reaches, browsers among them:
 * - a page whose name was made to lead to 127.0.0.1 (DNS rebinding) sends that name as `Host`;
 * - a page of another site sends its `Origin`, or `Sec-Fetch-Site`.
 * No answer permits other origins (CORS).
 * @param port where the server listens
 */
export function loopbackGuard(port: () => number): MiddlewareHandler {
  return async (c, next) => {
    const hosts = ['127.0.0.1', 'localhost'].map((host) => `${host}:${port()}`);
    const host = c.req.header('host') ?? '';
    if (!hosts.includes(host)) {
      return toResponse(new Problem(403, `requests must be sent to ${hosts.join(' or ')}, not to "${host}"`));
    }
    const origin = c.req.header('origin') ?? `http://${host}`;
    const site = c.req.header('sec-fetch-site') ?? 'none';
    if (origin !== `http://${host}` || site === 'cross-site' || site === 'same-site') {
      return toResponse(new Problem(403, 'requests of pages from elsewhere are refused'));
    }
    return next();
  };
}

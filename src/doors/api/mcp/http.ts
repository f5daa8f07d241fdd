import { createMcpHandler } from '@modelcontextprotocol/server';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { MAX_BODY_BYTES } from '../limit-body.ts';
import type { ApiContext } from '../context.ts';
import { withCancelledCalls } from './cancelled-calls.ts';
import { createServerFactory } from './server.ts';

/**
 * Agents as tools over Streamable HTTP, in both eras of the protocol. Each request stands alone, except one that
 * cancels another.
 */
export function createMcpOverHttp(
  shared: ApiContext,
): (request: Request, context: ApiContext) => Promise<Response> {
  const serve = serverFor(shared);
  // A server knows one caller.
  return (request, context) => (context === shared ? serve : serverFor(context))(request);
}

/** What the package has told of the request that is being answered. */
const told = new AsyncLocalStorage<Error[]>();

function serverFor(context: ApiContext): (request: Request) => Promise<Response> {
  const { fetch } = createMcpHandler(createServerFactory(context), {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (error) => void told.getStore()?.push(error),
  });
  return withCancelledCalls(async (request) => {
    const errors: Error[] = [];
    const response = await told.run(errors, () => fetch(request));
    // It also tells of requests that it refuses, which are no faults of ours.
    const faults = response.status < 500 ? [] : errors;
    for (const thrown of faults) context.log({ id: randomUUID(), method: 'POST', path: '/mcp', thrown });
    return response;
  }, context);
}

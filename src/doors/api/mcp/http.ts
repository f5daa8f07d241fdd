import { createMcpHandler } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { MAX_BODY_BYTES } from '../limit-body.ts';
import type { AttendedPorts } from '../attended-run.ts';
import { createServerFactory } from './server.ts';

/** Agents as tools over Streamable HTTP, in both eras of the protocol: each request stands alone. */
export function createMcpOverHttp(ports: AttendedPorts): (request: Request) => Promise<Response> {
  const { fetch } = createMcpHandler(createServerFactory(ports), {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (thrown) => ports.log({ id: randomUUID(), method: 'POST', path: '/mcp', thrown }),
  });
  return (request) => fetch(request);
}

import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Served } from './served-agents.ts';

/** The newer version of the protocol. */
export const VERSION = '2026-07-28';

/** The protocol's two eras. */
export const ERAS = ['legacy', { pin: VERSION }] as const;
export type Era = (typeof ERAS)[number];

/** A client of a server, which answers what it is asked with `fill`, if with anything. */
export async function clientOf(
  where: Served | { cwd: string; args?: string[] },
  era: Era = ERAS[1],
  fill?: (asked: { message: string; requestedSchema?: unknown }) => object,
): Promise<Client> {
  const capabilities: ClientCapabilities = fill === undefined ? {} : { elicitation: {} };
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: era } },
  );
  if (fill !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => ({ action: 'accept', ...fill(params) }));
  }
  onTestFinished(() => client.close());
  if ('server' in where) {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${where.server.url}/mcp`)));
  } else {
    const { cwd, args = [] } = where;
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(import.meta.dirname, '../../../bin/cadre.js'), 'mcp', ...args],
        cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: cwd, XDG_CONFIG_HOME: cwd, CADRE_TRUST: '1' },
        stderr: 'pipe',
      }),
    );
  }
  return client;
}

/** A request of the newer era as it is, with what it says its client can do, and what else stands about it. */
export function plainRequest(
  url: string,
  method: string,
  params: Record<string, unknown>,
  capabilities: object,
  about: object = {},
): Request {
  const meta = {
    ...about,
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return new Request(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      'mcp-name': String(params['name'] ?? params['taskId']),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

/** The capabilities of a client that takes tasks. */
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

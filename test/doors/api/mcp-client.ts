import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Served } from './served-agents.ts';

/** The protocol's two eras. */
export const ERAS = ['legacy', { pin: '2026-07-28' }] as const;
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

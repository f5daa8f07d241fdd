import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { randomUUID } from 'node:crypto';
import type { ApiContext } from '../context.ts';
import { createServerFactory } from './server.ts';

/**
 * Agents as tools over this process's stdin and stdout, until its client closes stdin or the signal is aborted. Calls
 * that are under way then are cancelled.
 */
export async function serveMcpOverStdio(context: ApiContext, signal: AbortSignal): Promise<void> {
  const ended = Promise.race([
    once(process.stdin, 'end', { signal }),
    once(process.stdin, 'close', { signal }),
  ]).catch(() => {}); // it ends with the signal, too
  const handle = serveStdio(createServerFactory(context), {
    onerror: (thrown) => context.log({ id: randomUUID(), method: 'stdio', path: 'mcp', thrown }),
  });
  await ended;
  await handle.close();
}

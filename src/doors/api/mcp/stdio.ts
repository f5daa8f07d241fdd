import { once } from 'node:events';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { randomUUID } from 'node:crypto';
import { Transform } from 'node:stream';
import type { ApiContext } from '../context.ts';
import { refusedLine } from './refused.ts';
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
  const filter = createFilter();
  const handle = serveStdio(createServerFactory(context), {
    transport: new StdioServerTransport(process.stdin.pipe(filter), process.stdout),
    onerror: (thrown) => context.log({ id: randomUUID(), method: 'stdio', path: 'mcp', thrown }),
  });
  await ended;
  await handle.close();
  process.stdin.unpipe(filter).pause();
}

/** Passes on the lines that the package may have; all others are answered. */
function createFilter(): Transform {
  const decoder = new TextDecoder();
  let rest = '';
  return new Transform({
    transform(bytes: Uint8Array, _, done) {
      const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each.trim() !== '')) {
        const refused = refusedLine(line);
        if (refused === undefined) this.push(`${line}\n`);
        else process.stdout.write(`${JSON.stringify(refused)}\n`);
      }
      done();
    },
  });
}

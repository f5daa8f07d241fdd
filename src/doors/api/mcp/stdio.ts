import { once } from 'node:events';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { randomUUID } from 'node:crypto';
import { Transform } from 'node:stream';
import type { ApiContext } from '../context.ts';
import { refusedLine, tooLong } from './refused.ts';
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

/** Longer lines would end the connection: the package keeps no more (its `STDIO_DEFAULT_MAX_BUFFER_SIZE`, with the line's end). */
const MAX_LINE_BYTES = 10 * 1024 ** 2 - 1;

/** Passes on the lines that the package may have; all others are answered. */
function createFilter(): Transform {
  const decoder = new TextDecoder();
  let rest = '';
  /** Of a line that is too long, nothing is kept. */
  let isTooLong = false;
  const answerTo = (line: string) =>
    isTooLong || Buffer.byteLength(line) > MAX_LINE_BYTES ? tooLong(MAX_LINE_BYTES) : refusedLine(line);
  return new Transform({
    transform(bytes: Uint8Array, _, done) {
      const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
      const lines = [rest + first, ...others];
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.trim() === '' && !isTooLong) continue;
        const refused = answerTo(line);
        isTooLong = false;
        if (refused === undefined) this.push(`${line}\n`);
        else process.stdout.write(`${JSON.stringify(refused)}\n`);
      }
      isTooLong ||= rest.length > MAX_LINE_BYTES;
      if (isTooLong) rest = '';
      done();
    },
  });
}

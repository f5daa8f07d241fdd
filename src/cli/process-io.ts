import { ConfigError } from '../errors.ts';
import type { RunIo } from './io.ts';

/** More than this on stdin is a mistake, not a prompt: no model reads it. */
const MAX_STDIN_BYTES = 16 * 1024 * 1024;

/** The process as commands see it. The second Ctrl-C ends it at once, whatever is under way. */
export function processIo(): RunIo {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interrupt.signal.aborted) process.exit(130);
      interrupt.abort(signal);
    });
  }
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    readStdin,
    interrupted: interrupt.signal,
    ...(process.stderr.isTTY && { terminal: process.stderr }),
  };
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stdin: AsyncIterable<Buffer> = process.stdin;
  for await (const buffer of stdin) {
    chunks.push(buffer);
    bytes += buffer.length;
    if (bytes > MAX_STDIN_BYTES) {
      throw new ConfigError(
        `stdin is larger than ${MAX_STDIN_BYTES / 1024 / 1024} MB; pass less, or name files in the agent`,
      );
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new ConfigError('stdin is not UTF-8 text; only text can be passed to an agent');
  }
}

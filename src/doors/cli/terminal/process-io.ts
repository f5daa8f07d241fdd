import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { kindOf } from '../../../core/attachments/first-bytes.ts';
import { ConfigError } from '../../../errors.ts';
import { EXIT } from './exit-code.ts';
import type { RunIo } from './io.ts';
import { printable } from './printable.ts';

/** More than this on stdin is a mistake, not a prompt: no model reads it. */
const MAX_STDIN_BYTES = 16 * 1024 * 1024;

/**
 * The process as commands see it. Ctrl-C ends it at once, with any work under way, if the command has not asked for the
 * signal, or has had it before.
 */
export function processIo(): RunIo {
  const interrupt = new AbortController();
  let isHeard = false;
  const interrupted = () => {
    isHeard = true;
    return interrupt.signal;
  };
  const stop = (signal: NodeJS.Signals) => {
    if (!isHeard || interrupt.signal.aborted) process.exit(EXIT.interrupted);
    interrupt.abort(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  process.once('SIGHUP', () => process.once('exit', endByHangUp));
  process.on('SIGHUP', () => {
    // Closing a terminal may cause several: the system sends one, and so does a shell.
    if (!interrupt.signal.aborted) stop('SIGHUP');
  });
  process.stderr.on('error', () => {}); // its reader went away; the run goes on
  const unread = new AbortController();
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough is not an error; an answer that cannot be written is. It is in the store.
    if (error.code === 'EPIPE') unread.abort();
    else endUnwritten(error);
  });
  // Piped output stays byte for byte; a terminal acts on control characters.
  const { columns } = process.stdout;
  // A dumb terminal, as editors have, writes what it is sent and moves no cursor.
  const isDumb = process.env['TERM'] === 'dumb';
  const stdout = (text: string) => void process.stdout.write(process.stdout.isTTY ? printable(text) : text);
  return {
    stdout,
    answer: (text) => stdout(process.stdout.isTTY && /[^\n]$/.test(text) ? `${text}\n` : text),
    stderr: (text) => void process.stderr.write(printable(text)),
    env: process.env,
    get cwd() {
      return currentFolder();
    },
    ...userName(),
    readStdin,
    lines: () => createInterface({ input: process.stdin, terminal: false, signal: interrupted() }),
    get interrupted() {
      return interrupted();
    },
    ...(process.stdin.isTTY &&
      process.stderr.isTTY && { confirm: (question) => confirmed(question, interrupted()) }),
    unread: unread.signal,
    interrupt: () => stop('SIGINT'),
    ...(process.stdout.isTTY && columns > 0 && { columns }),
    ...(process.stdout.isTTY &&
      process.stdout.hasColors() && { styled: (lines: string) => void process.stdout.write(lines) }),
    // a terminal that has no size, as some recorders give, shows nothing that is redrawn
    ...(process.stderr.isTTY &&
      process.stderr.columns > 0 &&
      !isDumb && {
        terminal: process.stderr,
        ...(process.stdin.isTTY && { keyboard: process.stdin }),
      }),
  };
}

/** Anything but yes is no, and so are Ctrl-C and the end of the input. */
function confirmed(question: string, interrupted: AbortSignal): Promise<boolean> {
  const editor = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  return new Promise<boolean>((resolve) => {
    const no = () => resolve(false);
    editor.once('close', no);
    interrupted.addEventListener('abort', no, { once: true });
    editor.question(`${printable(question)} [y/N] `, (answer) => resolve(/^y(es)?$/i.test(answer.trim())));
  }).finally(() => editor.close());
}

/**
 * SIGHUP: the terminal was closed. Node.js would end without telling the programs that it started, so the signal is
 * awaited. Exiting normally resets the terminal first, and crashes where there is none (SIGABRT); the signal itself
 * ends the process cleanly.
 */
function endByHangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

function endUnwritten(error: Error): void {
  process.stderr.write(`Error: cannot write to stdout: ${error.message}; see the answer with: cadre runs\n`);
  process.exit(EXIT.agent);
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new ConfigError('the current folder no longer exists; change to another', {
      cause: error,
    });
  }
}

/** Containers run as users that have no name. */
function userName(): { user?: string } {
  try {
    return { user: userInfo().username };
  } catch {
    return {};
  }
}

async function readStdin(): Promise<string | Uint8Array> {
  if (process.stdin.isTTY) return '';
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stdin: AsyncIterable<Buffer> = process.stdin;
  for await (const buffer of stdin) {
    chunks.push(buffer);
    bytes += buffer.length;
    if (bytes > MAX_STDIN_BYTES) {
      throw new ConfigError(
        `stdin is larger than ${MAX_STDIN_BYTES / 1024 / 1024} MB; pass less, or list files in the agent's file`,
      );
    }
  }
  const all = Buffer.concat(chunks);
  if (kindOf(all)?.type !== undefined) return all;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(all);
  } catch {
    throw new ConfigError(
      'stdin is neither UTF-8 text nor a PNG, JPEG, GIF or WebP image or a PDF document; pass one of these',
    );
  }
}

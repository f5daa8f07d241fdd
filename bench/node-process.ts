import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

export const COMMAND = join(process.cwd(), 'bin/cadre.js');

export interface ProcessEnd {
  milliseconds: number;
  stdout: string;
}

interface ProcessOptions {
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

/** Runs Node.js with the arguments and nothing on stdin. @throws if it fails */
export function runNode(args: readonly string[], options: ProcessOptions = {}): ProcessEnd {
  const start = performance.now();
  const { stdout } = spawnNode(args, options);
  return { milliseconds: performance.now() - start, stdout };
}

/** Milliseconds that all threads of such a process worked, to which other work on the machine adds little. */
export function cpuTimeOf(args: readonly string[], options: ProcessOptions = {}): number {
  return Number(spawnNode(['--import', TELL_CPU_TIME, ...args], options).told);
}

/** Starts the command, which writes its CPU time to the pipe behind stderr when it ends. Its output is dropped. */
export function spawnCommand(words: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, ['--import', TELL_CPU_TIME, COMMAND, ...words], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
}

/** What such a process tells once it has ended, in milliseconds. */
export async function cpuTimeToldBy({ stdio }: ChildProcess): Promise<number> {
  const told = stdio[3];
  if (!(told instanceof Readable)) throw new Error('the process cannot tell its time');
  return Number(await text(told));
}

/** Has a process write its time to the descriptor behind stderr as it ends. */
const TELL_CPU_TIME = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs';
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    writeSync(3, String((user + system) / 1000));
  });
`)}`;

/** Node.js reads the named file at every start: a system's whole bundle takes longer than everything else. */
const NO_FURTHER_CERTIFICATES = { NODE_EXTRA_CA_CERTS: undefined };

function spawnNode(args: readonly string[], { cwd, env }: ProcessOptions): { stdout: string; told: string } {
  const { status, stdout, stderr, error, output } = spawnSync(process.execPath, args, {
    cwd,
    env: { ...process.env, ...NO_FURTHER_CERTIFICATES, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 ** 2,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: …${stderr.slice(-2000)}`);
  return { stdout, told: output[3] ?? '' };
}

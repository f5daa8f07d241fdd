import { spawnSync } from 'node:child_process';

export interface ProcessEnd {
  milliseconds: number;
  stdout: string;
}

/** Runs Node.js with the arguments and nothing on stdin. @throws if it fails */
export function runNode(
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): ProcessEnd {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 ** 2,
  });
  const milliseconds = performance.now() - start;
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: …${stderr.slice(-2000)}`);
  return { milliseconds, stdout };
}

import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { isHarmless } from './clean-environment.ts';

let isHidden: boolean | undefined;

/**
 * Makes the variables of this process that may be keys unreadable in /proc/<pid>/environ, where every process of the
 * same user may look: that file shows the memory in which the kernel left them at the start, whatever becomes of the
 * variables. So each is set again, which moves it elsewhere, and its old place is overwritten. `process.env` and what
 * other threads look up stay the same at every moment.
 * @returns whether that could be done; false outside of Linux
 */
export function hideEnvironment(): boolean {
  return (isHidden ??= isMainThread && overwrite());
}

function overwrite(): boolean {
  let memory: number | undefined;
  try {
    const { start, length } = environmentInMemory();
    memory = openSync('/proc/self/mem', 'r+');
    const bytes = Buffer.alloc(length + 1);
    readSync(memory, bytes, 0, length, start);
    for (let at = 0, end = 0; at < length; at = end + 1) {
      end = bytes.indexOf(0, at);
      if (hasMoved(bytes.toString('utf8', at, end))) bytes.fill(0, at, end);
    }
    writeSync(memory, bytes, 0, length, start);
    return true;
  } catch {
    // Not Linux, or one that lets no process write its memory in this way: docs/security.md says what follows.
    return false;
  } finally {
    if (memory !== undefined) closeSync(memory);
  }
}

/** @param entry `NAME=value` @returns whether its old place may be overwritten */
function hasMoved(entry: string): boolean {
  const [name = ''] = entry.split('=', 1);
  // One that is no text could not be set again as it was.
  if (isHarmless(name) || entry.includes('\uFFFD')) return false;
  const value = process.env[name];
  if (value !== undefined) process.env[name] = value;
  return true;
}

/** proc_pid_stat(5), fields 50 and 51. */
function environmentInMemory(): { start: number; length: number } {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [start = 0, end = 0] = fields.slice(47, 49).map(Number);
  return { start, length: end - start };
}

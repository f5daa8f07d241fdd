import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * A text that stands for the process which has the number now, and for no other that had it or will: it tells when the
 * process started. Undefined if there is no such process, or if it has ended and its parent has not taken note.
 */
export function processName(pid: number): string | undefined {
  if (pid === process.pid) return (own ??= nameOf(pid));
  return nameOf(pid);
}
let own: string | undefined;

function nameOf(pid: number): string | undefined {
  const start = existsSync('/proc/self/stat') ? startOnLinux(pid) : startElsewhere(pid);
  return start === undefined ? undefined : `${pid} since ${start}`;
}

/** @param name as `processName` gave it @returns the process's number, if that process is still there */
export function livePid(name: string): number | undefined {
  const pid = Number.parseInt(name, 10);
  return pid > 0 && processName(pid) === name ? pid : undefined;
}

/** In clock ticks after a boot that has a name: proc_pid_stat(5), fields 3 and 22; random(4). */
function startOnLinux(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // there is no such process
  }
  // The second field is the program's name in brackets, and may hold brackets and spaces of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, ticks] = [fields[0], fields[19]];
  if (state === undefined || 'ZXx'.includes(state)) return undefined;
  return `${ticks} of ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
}

/** As a date to the second, which is what POSIX systems without /proc have in common. */
function startElsewhere(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env });
  return stdout?.trim() || undefined;
}

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { win32 } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What is asked of the operating system to find processes and to end them. */
export interface System {
  platform: NodeJS.Platform;
  /** @param pid negative: a whole group @throws if there is none */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** The names in /proc. @throws where there is none */
  listProc(): string[];
  /** A file in /proc, as bytes are. @throws if it is gone, or another user's */
  readProc(file: string): string;
  /** Runs a program of the system to its end, whatever comes of it. */
  run(program: string, args: readonly string[]): void;
  /** Milliseconds. */
  now(): number;
  pause(milliseconds: number): Promise<void>;
}

const HERE: System = {
  platform: process.platform,
  kill: (pid, signal) => void process.kill(pid, signal),
  listProc: () => readdirSync('/proc'),
  readProc: (file) => readFileSync(`/proc/${file}`, 'latin1'),
  run: (program, args) => void spawnSync(program, args, { stdio: 'ignore', windowsHide: true }),
  now: () => performance.now(),
  pause: (milliseconds) => delay(milliseconds),
};

/** A program with everything that it starts itself. */
export interface Started {
  /** The process at the top, which leads a group of its own. */
  group: number;
  /** In the environment of each of its processes. */
  mark: string;
  /** Whether the process at the top is known to have ended, so that its number may be another's by now. */
  hasEnded(): boolean;
}

/** Ends the trees of processes that programs have become. */
export interface Processes {
  /**
   * Ends all of a tree: asks with SIGTERM, and kills those left 0.7 s later. A process that has ended already is no fault.
   * @returns when nothing is left of it
   */
  end(tree: Started): Promise<void>;
  /** Kills all of a tree, without waiting for that. */
  kill(tree: Started): void;
}

/** How long a program has to end by itself. With what it takes to notice, all is over within a second. */
const GRACE_MS = 700;
const POLL_MS = 20;
/** A process that SIGKILL does not end by then hangs in the kernel, and waiting for it would hang us. */
const GIVE_UP_MS = 2_000;

/**
 * Linux tells of every process of the same user its group and its environment. Others of its kind tell of a group that it
 * is there, so a process that has left its group is not found. Windows has no groups and no signals to ask with: it ends
 * a process with those that it has started and that are still below it.
 */
export function openProcesses(system: System = HERE): Processes {
  const { remaining, signal } = system.platform === 'win32' ? onWindows(system) : onPosix(system);
  return {
    async end(tree) {
      const asked = new Set<number>();
      const startedAt = system.now();
      for (;;) {
        const left = remaining(tree);
        const elapsed = system.now() - startedAt;
        if (left.length === 0 || elapsed > GIVE_UP_MS) return;
        if (elapsed >= GRACE_MS) {
          signal(left, 'SIGKILL', tree.group);
        } else {
          signal(
            left.filter((pid) => !asked.has(pid)),
            'SIGTERM',
          );
          left.forEach((pid) => asked.add(pid));
        }
        await system.pause(POLL_MS);
      }
    },
    kill: (tree) => signal(remaining(tree), 'SIGKILL', tree.group),
  };
}

/** A platform's way to find processes and to end them. */
interface Ways {
  /** The processes of a tree that have not ended. */
  remaining(tree: Started): number[];
  /** @param group killed in one step too, so that none in it can start another one meanwhile */
  signal(pids: readonly number[], name: NodeJS.Signals, group?: number): void;
}

/** In full: by its name alone, Windows would look for it in the folder that agents work in. */
const TASKKILL = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe');

function onWindows(system: System): Ways {
  return {
    remaining: ({ group, hasEnded }) => (!hasEnded() && isThere(group, system) ? [group] : []),
    signal(pids) {
      for (const pid of pids) system.run(TASKKILL, ['/PID', `${pid}`, '/T', '/F']);
    },
  };
}

function onPosix(system: System): Ways {
  return {
    /** Those of its group, and those that carry its mark. */
    remaining({ group, mark }) {
      let names: string[];
      try {
        names = system.listProc();
      } catch {
        // Not Linux: the group alone is known.
        return isThere(-group, system) ? [-group] : [];
      }
      return names.filter((name) => /^\d+$/.test(name) && belongs(name, group, mark, system)).map(Number);
    },
    signal(pids, name, group) {
      for (const pid of [...(group === undefined ? [] : [-group]), ...pids]) {
        try {
          system.kill(pid, name);
        } catch {
          // It has ended by itself.
        }
      }
    },
  };
}

function belongs(pid: string, group: number, mark: string, { readProc }: System): boolean {
  try {
    const stat = readProc(`${pid}/stat`);
    // "pid (name) state parent group …", and a name may have spaces and parentheses in it.
    const [state = '', , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ('ZX'.includes(state)) return false;
    return Number(itsGroup) === group || readProc(`${pid}/environ`).includes(mark);
  } catch {
    // Gone meanwhile, or another user's.
    return false;
  }
}

function isThere(pid: number, { kill }: System): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

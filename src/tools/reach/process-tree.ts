import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { inPlaceOfInherited, type Stdio } from './inherited-files.ts';
import { hideEnvironment } from './hidden-environment.ts';
import { Watchdog } from './watchdog.ts';

/** A program that was started for an agent, with everything that it starts itself. */
export interface ProcessTree {
  child: ChildProcess;
  /**
   * Ends all processes of the tree: asks with SIGTERM, and kills those left 0.7 s later. A process that has ended
   * already is no fault.
   * @returns when nothing is left of it
   */
  end(): Promise<void>;
}

export interface ProcessOptions {
  cwd: string;
  env: Record<string, string>;
  /** What it has for stdin, stdout, stderr, and so on. */
  stdio: readonly Stdio[];
}

/** How long a program has to end by itself. With what it takes to notice, all is over within a second. */
const GRACE_MS = 700;
const POLL_MS = 20;
/** A process that SIGKILL does not end by then hangs in the kernel, and waiting for it would hang us. */
const GIVE_UP_MS = 2_000;

/**
 * In the environment of each process of a tree, for those that leave the group. One that leaves the group and clears
 * its environment as well is not found.
 */
const MARK = 'CADRE_PROCESS_TREE';

/** How the marks of all trees of this process begin. */
const OWN_MARK = `${MARK}=${randomUUID()}.`;

/** The trees that have not been ended: their marks, by their groups. */
const atWork = new Map<number, string>();
const watchdog = new Watchdog(OWN_MARK);

// This process may end in the middle of anything.
process.on('exit', () => {
  for (const [group, mark] of atWork) signal(remaining(group, mark), 'SIGKILL', group);
  watchdog.dismiss();
});

/**
 * Starts a program as the leader of a session and a group of its own: a Ctrl-C on our terminal does not reach it, and
 * it cannot read from there. Nothing of it outlives this process, however that ends, and our own environment is hidden
 * from it.
 * @throws what `spawn` throws for arguments that no process can have; a program that is not there is the child's
 *   `error`
 */
export function startProcessTree(
  program: string,
  args: readonly string[],
  { cwd, env, stdio }: ProcessOptions,
): ProcessTree {
  hideEnvironment();
  watchdog.watch(atWork.keys());
  const mark = `${OWN_MARK}${randomUUID()}`;
  const marked = { ...env, [MARK]: mark.slice(MARK.length + 1) };
  const child = startWithout(stdio, (all) =>
    spawn(program, args, { cwd, env: marked, stdio: all, detached: true }),
  );
  const group = child.pid;
  if (group === undefined) return { child, end: () => Promise.resolve() };
  atWork.set(group, mark);
  watchdog.watch(atWork.keys());
  let ending: Promise<void> | undefined;
  const end = () =>
    (ending ??= endAll(group, mark).finally(() => {
      atWork.delete(group);
      watchdog.watch(atWork.keys());
    }));
  return { child, end };
}

/** Starts a program that inherits nothing of what this process has open. */
function startWithout(stdio: readonly Stdio[], start: (stdio: Stdio[]) => ChildProcess): ChildProcess {
  const nothing = openSync(devNull, 'r+');
  try {
    return start([...stdio, ...inPlaceOfInherited(nothing).slice(stdio.length - 3)]);
  } finally {
    closeSync(nothing);
  }
}

async function endAll(group: number, mark: string): Promise<void> {
  const asked = new Set<number>();
  const startedAt = performance.now();
  for (;;) {
    const left = remaining(group, mark);
    const elapsed = performance.now() - startedAt;
    if (left.length === 0 || elapsed > GIVE_UP_MS) return;
    if (elapsed >= GRACE_MS) {
      signal(left, 'SIGKILL', group);
    } else {
      signal(
        left.filter((pid) => !asked.has(pid)),
        'SIGTERM',
      );
      left.forEach((pid) => asked.add(pid));
    }
    await delay(POLL_MS);
  }
}

/** @param group killed in one step too, so that none in it can start another one meanwhile */
function signal(pids: readonly number[], name: NodeJS.Signals, group?: number): void {
  for (const pid of [...(group === undefined ? [] : [-group]), ...pids]) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

/** The processes of a tree that have not ended: those of its group, and those that carry its mark. */
function remaining(group: number, mark: string): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    // Not Linux: the group alone is known.
    return isAlive(group) ? [-group] : [];
  }
  return names.filter((name) => /^\d+$/.test(name) && belongs(name, group, mark)).map(Number);
}

function belongs(pid: string, group: number, mark: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // "pid (name) state parent group …", and a name may have spaces and parentheses in it.
    const [state = '', , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if ('ZX'.includes(state)) return false;
    return Number(itsGroup) === group || readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
  } catch {
    // Gone meanwhile, or another user's.
    return false;
  }
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

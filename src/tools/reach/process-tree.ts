import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { inPlaceOfInherited, type Stdio } from './inherited-files.ts';
import { hideEnvironment } from './hidden-environment.ts';
import { openProcesses, type Started } from './processes.ts';
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

/**
 * In the environment of each process of a tree, for those that leave the group. One that leaves the group and clears
 * its environment as well is not found.
 */
const MARK = 'CADRE_PROCESS_TREE';

/** How the marks of all trees of this process begin. */
const OWN_MARK = `${MARK}=${randomUUID()}.`;

/** The trees that have not been ended, by their groups. */
const atWork = new Map<number, Started>();
const watchdog = new Watchdog(OWN_MARK);
const processes = openProcesses();

// This process may end in the middle of anything.
process.on('exit', () => {
  for (const tree of atWork.values()) processes.kill(tree);
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
  const tree = { group, mark, hasEnded: () => child.exitCode !== null || child.signalCode !== null };
  atWork.set(group, tree);
  watchdog.watch(atWork.keys());
  let ending: Promise<void> | undefined;
  const end = () =>
    (ending ??= processes.end(tree).finally(() => {
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

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import type { Sandbox } from '../../core/records/call.ts';
import { emptied, sealed, type SealedPaths } from './sealed-paths.ts';
import { isInside } from './workspace/inside.ts';
import { findProgram } from './workspace/find-program.ts';
import { realPathOf } from './workspace/open-inside.ts';

export interface SandboxOptions extends Sandbox, SealedPaths {
  /** Absolute: the user's, which commands do not reach. */
  home: string;
  /** The variable `PATH` of commands. */
  path: string | undefined;
  /** Absolute: folders with scripts that commands run, which they find where they are. */
  skills?: readonly string[];
}

/** What commands see of the machine: programs and their settings. */
const SYSTEM =
  '/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix/store /gnu/store /run/current-system'.split(' ');

/** Namespaces of its own, no capability of root's, and an end when its parent ends. */
const APART = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'];

const HOME = '/home/sandbox';

/** Folders that are empty for each command, and gone after it. */
const SCRATCH = [HOME, '/tmp', '/var/tmp'];

/**
 * The words in front of a command that make bubblewrap run it isolated. The order of options counts: later mounts cover
 * earlier ones (bwrap(1)).
 * @throws {ConfigError} why commands cannot be isolated on this machine, or in this workdir
 */
export async function isolated(options: SandboxOptions): Promise<string[]> {
  const { path = '', skills = [] } = options;
  const workdir = realpathSync(options.workdir);
  const { program, fault } = await findBubblewrap(path, workdir);
  if (fault !== undefined) throw new ConfigError(fault);
  if (isInside(realPathOf(options.home), workdir)) {
    throw new ConfigError(
      `commands cannot be isolated in ${workdir}, which contains your home folder: run the agent in a folder below it`,
    );
  }
  const hidden = hiddenInSystem(workdir, options);
  return [
    program,
    ...APART,
    ...system(options.network, hidden),
    ...skills
      .filter((folder) => ![workdir, options.store, options.home].some((path) => isInside(path, folder)))
      .flatMap((folder) => ['--ro-bind-try', folder, folder]),
    '--bind',
    workdir,
    workdir,
    ...sealed(workdir, options),
    ...hidden.flatMap((folder) => ['--remount-ro', folder]),
    ...'--remount-ro / --unsetenv TMPDIR --setenv PATH'.split(' '),
    path,
    '--setenv',
    'HOME',
    HOME,
    '--chdir',
    workdir,
    '--',
  ];
}

const run = promisify(execFile);

/** What `execFile` throws, as far as it is read. */
const Failure = v.object({ stderr: v.optional(v.string(), '') });

/** Each program that has worked. Where it has not, somebody may install it while we run. */
const working = new Set<string>();

/**
 * @param path the variable `PATH` of commands
 * @param folder absolute: the one that agents work in
 * @returns why commands cannot be isolated on this machine, in words; undefined if they can
 */
export async function sandboxFault(path = '', folder = process.cwd()): Promise<string | undefined> {
  return (await findBubblewrap(path, folder)).fault;
}

type Bubblewrap = { program: string; fault?: never } | { program?: never; fault: string };

/** The program that has been seen to isolate commands, or why there is none. */
async function findBubblewrap(path: string, folder: string): Promise<Bubblewrap> {
  const no = (reason: string) => ({ fault: `commands cannot be isolated: ${reason}` });
  if (process.platform !== 'linux') return no('bubblewrap runs on Linux only');
  const program = findProgram('bwrap', path, folder);
  if (program === undefined) return no('install bubblewrap');
  if (working.has(program)) return { program };
  try {
    await run(program, [...APART, ...system(false), '--', 'true'], { env: { PATH: path }, timeout: 10_000 });
    working.add(program);
    return { program };
  } catch (thrown) {
    const { stderr } = v.parse(Failure, thrown);
    return no(stderr.trim() || 'bubblewrap does not work here');
  }
}

/**
 * What lies in folders of the system and is not for commands: in containers, the home folder and projects often do.
 * Each is covered by an empty folder, in which the workdir may be.
 */
function hiddenInSystem(workdir: string, { home, store, deciding }: SandboxOptions): string[] {
  const config = deciding === undefined ? [] : [dirname(deciding.config)];
  const isBelow = (path: string, folder: string) => path !== folder && isInside(path, folder);
  const found = [home, dirname(store), ...config]
    .map((path) => realPathOf(path))
    .filter((path) => SYSTEM.some((folder) => isBelow(path, folder)))
    // What lies in the workdir is covered where that is mounted.
    .filter((path) => existsSync(path) && !isInside(path, workdir));
  return [...new Set(found)].filter((path) => !found.some((other) => isBelow(path, other)));
}

/** @param hidden folders that are left empty and can be written to */
function system(network: boolean, hidden: readonly string[] = []): string[] {
  // Often a link out of /etc.
  const resolver = network ? realPathOf('/etc/resolv.conf') : '/etc/resolv.conf';
  return [
    ...(network ? ['--share-net'] : []),
    ...SYSTEM.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...(isInside(resolver, '/etc') ? [] : ['--ro-bind-try', resolver, resolver]),
    ...nodePaths().flatMap((path) => ['--ro-bind-try', path, path]),
    ...'--proc /proc --dev /dev'.split(' '),
    ...SCRATCH.flatMap((folder) => ['--tmpfs', folder]),
    ...hiddenSettings(),
  ];
}

/** Node.js with npm, where a user has installed it for himself. */
function nodePaths(): string[] {
  const bin = dirname(realpathSync(process.execPath));
  if (SYSTEM.some((folder) => isInside(bin, folder))) return [];
  return [bin, join(bin, '../lib/node_modules')];
}

let settings: readonly string[] | undefined;

/** Lays something over what nobody but root may read in /etc, and a command of root's could: keys and passwords. */
function hiddenSettings(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return (settings ??= unreadable('/etc'));
}

function unreadable(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) return [];
    const isPrivate = (statSync(path).mode & OTHERS_READ) === 0;
    if (entry.isDirectory()) return isPrivate ? emptied(path) : unreadable(path);
    return isPrivate ? ['--ro-bind', '/dev/null', path] : [];
  });
}

const OTHERS_READ = 0o004;

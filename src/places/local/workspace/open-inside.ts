import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { WorkspaceError } from '../../../core/agent-schema/workspace.ts';
import { isMissing } from './file-fault.ts';
import { isInside } from './inside.ts';

// A path is checked and then used, and between the two another process may put a link in a folder's place. So an opened
// entry is checked once more, and changes go through a folder that is held open. Linux names the files that a process
// has open in /proc/self/fd, where the name of a folder may go on: that is openat(2), which Node.js lacks. Elsewhere a
// file is looked up again after it was opened, and folders go by their paths.

/** @returns a path without links, as far as it exists; links that lead nowhere are followed too */
export function realPathOf(path: string, hops = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const above = dirname(path);
    if (!isMissing(error) || above === path || hops > MAX_HOPS) throw error;
    const here = join(realPathOf(above, hops), basename(path));
    const target = linkOf(here);
    return target === undefined ? here : realPathOf(resolve(dirname(here), target), hops + 1);
  }
}

/** The same for a path of which some parts cannot be looked up: those count as no links. */
export function knownRealPathOf(path: string): string {
  try {
    return realPathOf(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(knownRealPathOf(above), basename(path));
  }
}

/** As many as Linux follows. */
const MAX_HOPS = 40;

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Opens an entry and makes sure that it lies below a root, without waiting at a pipe and without following a link.
 * @param real as `realPathOf` gave it
 * @param asked the path for messages
 */
export function openInside(real: string, root: string, flags: number, asked: string): number {
  const file = openSync(real, flags | SAFE);
  try {
    if (isInside(placeOf(file, real), root)) return file;
    throw new WorkspaceError('outside', asked);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Of open(2): no link, no waiting, and no terminal that becomes ours. */
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

const HAS_PROC = existsSync('/proc/self/fd');

function placeOf(file: number, real: string): string {
  if (HAS_PROC) return readlinkSync(`/proc/self/fd/${file}`);
  const now = realpathSync.native(real);
  const [opened, there] = [fstatSync(file), lstatSync(now)];
  return opened.ino === there.ino && opened.dev === there.dev ? now : sep;
}

/** A folder that is held open: work in it happens there, wherever its path leads in the meantime. */
export class PinnedFolder {
  readonly #file: number;
  readonly #real: string;

  private constructor(file: number, real: string) {
    this.#file = file;
    this.#real = real;
  }

  /** Opens a folder below the root, or the root. */
  static open(real: string, root: string, asked: string): PinnedFolder {
    return new PinnedFolder(openInside(real, root, FOLDER, asked), real);
  }

  /** Opens a folder below the root, and makes it and the folders above it if they are missing. */
  static make(real: string, root: string, asked: string): PinnedFolder {
    let pinned = PinnedFolder.open(root, root, asked);
    for (const name of relative(root, real).split(sep).filter(Boolean)) {
      const above = pinned;
      try {
        pinned = above.#enter(name);
      } finally {
        above.close();
      }
    }
    return pinned;
  }

  /** The path of the entry of this name in it. */
  at(name: string): string {
    return HAS_PROC ? `/proc/self/fd/${this.#file}/${name}` : join(this.#real, name);
  }

  close(): void {
    closeSync(this.#file);
  }

  #enter(name: string): PinnedFolder {
    const path = this.at(name);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) makeFolder(path);
    return new PinnedFolder(openSync(path, FOLDER | SAFE), join(this.#real, name));
  }
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;

/** Another process may make it meanwhile. */
function makeFolder(path: string): void {
  try {
    // Not `recursive`: below a folder that is gone, Node.js would try for ever.
    mkdirSync(path);
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) throw error;
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Workspace, WorkspaceError } from '../../../core/agent-schema/workspace.ts';
import { inPool } from '../../../in-pool.ts';
import { openFolderWorkspace } from '../../local/workspace/folder-workspace.ts';
import { PinnedFolder } from '../../local/workspace/open-inside.ts';
import { type FoundFile, isForCommands, stampAt } from './look-through.ts';
import { takeAway } from './take-away.ts';

/** The most that is copied into a folder, which leaves room on the disk for what commands make. */
const MOST_FILES = 20_000;
const MOST_BYTES = 1024 ** 3;

/** The most that is written back after a command. */
const MOST_WRITTEN = { files: 2_000, bytes: 200 * 1024 ** 2 };

/** Requests to the bucket at a time. */
const AT_A_TIME = 16;

/** How many paths a model is told of one kind. */
const MOST_NAMED = 10;

/** A file as it was when the folder and the workspace had the same. */
interface KnownFile {
  /** Of the workspace. */
  version: string;
  /** What the file system says of it here. */
  stamp: string;
  /** The digest of its content. */
  content: string;
}

/** Why there can be no copy, in words for a model. */
export class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
}

/**
 * A copy of a workspace in a folder, for commands to work in. Nothing else may change the folder while a method runs.
 * What commands leave there is not trusted: no link in it is followed.
 */
export class WorkspaceCopy {
  readonly folder: string;
  readonly #known = new Map<string, KnownFile>();

  /** @param folder absolute, and without links; made when it is needed */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Whether the workspace has a path. */
  readonly isKnown = (path: string): boolean => this.#known.has(path);

  /** Forgets everything, and takes the folder away. */
  clear(): void {
    this.#known.clear();
    takeAway(this.folder);
  }

  /**
   * Updates the folder from the workspace. Only changed files are read.
   * @throws {TooMuchError} before anything is changed
   */
  async layOut(workspace: Workspace, signal: AbortSignal): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    const listed = new Map<string, string | undefined>();
    let bytes = 0;
    for await (const { path, version, stat } of workspace.list(() => true)) {
      signal.throwIfAborted();
      if (!isForCommands(path)) continue;
      listed.set(path, version);
      bytes += (await stat())?.size ?? 0;
      if (listed.size > MOST_FILES || bytes > MOST_BYTES) {
        throw new TooMuchError(
          `the working directory is too large for commands, which take at most ${MOST_FILES} files and 1 GB`,
        );
      }
    }
    for (const path of this.#known.keys()) if (!listed.has(path)) this.#drop(path);
    const changed = [...listed].filter(
      ([path, version]) => version === undefined || this.#known.get(path)?.version !== version,
    );
    await inPool(changed, AT_A_TIME, signal, async ([path]) => {
      try {
        const { bytes: content, version } = await workspace.read(path);
        this.#place(path, content);
        this.#remember(path, version(), digestOf(content));
      } catch (thrown) {
        // It has gone meanwhile.
        if (!(thrown instanceof WorkspaceError && thrown.fault === 'missing')) throw thrown;
        this.#drop(path);
      }
    });
  }

  /**
   * Writes back the changes in the folder, each file on the condition that nobody else has changed it since: in a
   * conflict the workspace's file stays.
   * @param files all files in the folder now
   * @returns what is not as the command left it, in words for a model
   */
  async writeBack(files: readonly FoundFile[], workspace: Workspace, signal: AbortSignal): Promise<string[]> {
    const here = openFolderWorkspace(this.folder);
    const there = new Set(files.map(({ path }) => path));
    const deleted = [...this.#known.keys()].filter((path) => !there.has(path));
    const changed = files.filter(({ path, stamp }) => this.#known.get(path)?.stamp !== stamp);
    // What was there before comes first.
    const { taken, left } = withinLimits([
      ...deleted.map((path) => ({ path, size: 0, isGone: true })),
      ...changed.filter(({ path }) => this.isKnown(path)),
      ...changed.filter(({ path }) => !this.isKnown(path)),
    ]);
    const conflicts: string[] = [];
    const odd: string[] = [];
    await inPool(taken, AT_A_TIME, signal, async ({ path, isGone }) => {
      try {
        if (isGone) await this.#delete(path, workspace);
        else await this.#write(path, here, workspace);
      } catch (thrown) {
        if (!(thrown instanceof WorkspaceError)) throw thrown;
        const isOdd = thrown.fault === 'failed' || thrown.fault === 'special';
        (isOdd ? odd : conflicts).push(path);
        // The workspace's own is laid out before the next command.
        if (!isOdd) this.#drop(path);
      }
    });
    return [
      ...noted('in the working directory as somebody else has left them meanwhile', conflicts),
      ...noted('cannot be kept in the working directory, such as for their names', odd),
      ...noted(
        'not kept, since at most 2,000 files and 200 MB are after a command, but for what .gitignore names',
        left.map(({ path }) => path),
      ),
    ];
  }

  async #delete(path: string, workspace: Workspace): Promise<void> {
    try {
      await workspace.delete(path, this.#known.get(path)?.version ?? '');
    } catch (thrown) {
      if (!(thrown instanceof WorkspaceError && thrown.fault === 'missing')) throw thrown;
    }
    this.#known.delete(path);
  }

  async #write(path: string, here: Workspace, workspace: Workspace): Promise<void> {
    const { bytes } = await here.read(path);
    const known = this.#known.get(path);
    const content = digestOf(bytes);
    const version =
      known?.content === content ? known.version : await workspace.write(path, bytes, known?.version);
    this.#remember(path, version, content);
  }

  #remember(path: string, version: string, content: string): void {
    this.#known.set(path, { version, content, stamp: stampAt(join(this.folder, path)) });
  }

  /** Puts a file in its place, whatever commands have left there or on the way to it. */
  #place(path: string, bytes: Uint8Array): void {
    try {
      placeFile(this.folder, path, bytes);
    } catch {
      takeAway(join(this.folder, inTheWay(this.folder, path)));
      placeFile(this.folder, path, bytes);
    }
  }

  #drop(path: string): void {
    this.#known.delete(path);
    try {
      withFolderOf(this.folder, path, PinnedFolder.open, (place) => unlinkSync(place(basename(path))));
    } catch {
      // It is gone, or a folder has taken its place: either way there is no such file.
    }
  }
}

function placeFile(root: string, path: string, bytes: Uint8Array): void {
  withFolderOf(root, path, PinnedFolder.make, (place) => {
    const temporary = place(`.cadre-${randomUUID()}`);
    try {
      // A bucket does not keep whether a file is a program.
      writeFileSync(temporary, bytes, { mode: isProgram(bytes) ? 0o755 : 0o644, flag: 'wx' });
      renameSync(temporary, place(basename(path)));
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

function withFolderOf(
  root: string,
  path: string,
  open: typeof PinnedFolder.open,
  work: (place: (name: string) => string) => void,
): void {
  const pinned = open(dirname(join(root, path)), root, path);
  try {
    work((name) => pinned.at(name));
  } finally {
    pinned.close();
  }
}

/** The first part of a path that has to be a folder and is not, or else the whole path. */
function inTheWay(root: string, path: string): string {
  const names = path.split('/');
  for (let length = 1; length < names.length; length++) {
    const above = names.slice(0, length).join('/');
    if (lstatSync(join(root, above), { throwIfNoEntry: false })?.isDirectory() !== true) return above;
  }
  return path;
}

function isProgram(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  return start.startsWith('#!') || start === '\u007fELF';
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

interface Change {
  path: string;
  size: number;
  isGone?: boolean;
}

function withinLimits(changes: readonly Change[]): { taken: Change[]; left: Change[] } {
  const taken: Change[] = [];
  const left: Change[] = [];
  let bytes = 0;
  for (const change of changes) {
    const fits = taken.length < MOST_WRITTEN.files && bytes + change.size <= MOST_WRITTEN.bytes;
    if (fits) bytes += change.size;
    (fits ? taken : left).push(change);
  }
  return { taken, left };
}

function noted(what: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const named = [...paths].sort().slice(0, MOST_NAMED).join(', ');
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return [`${what}: ${named}${more}`];
}

import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ListedFile, readStart, type Workspace } from '../../core/agent-schema/workspace.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { isHidden } from './hidden.ts';
import { folderOf, IgnoreRules, MAX_IGNORE_BYTES } from './ignore-rules.ts';

/** How many files are looked at before others have their turn: those of a folder are found without waiting for any. */
export const AT_ONCE = 1_000;

/** Keeps a search of a whole disk from running for minutes. */
const MAX_FILES = 200_000;

export interface Search {
  workspace: Workspace;
  /** A folder of the workspace, "" for all of it. Named, it is looked into even if git ignores it. */
  start: string;
  /** The path or pattern that names files. It may name a file that is hidden otherwise. */
  named: string;
  /** Whether a folder, relative to `start`, can have anything in it that is looked for. */
  mayEnter(folder: string, isLink: boolean): boolean;
  signal: AbortSignal;
}

/** The files below a folder but for those that git ignores, and those of git and of Cadre themselves; in any order. */
export async function findFiles({
  workspace,
  start,
  named,
  mayEnter,
  signal,
}: Search): Promise<ListedFile[]> {
  const filter = await FileFilter.open(start, named, workspace);
  const enter = (folder: string, isLink: boolean) =>
    mayEnter(filter.below(folder), isLink) && !filter.leavesOut(folder, true);
  const files: ListedFile[] = [];
  for await (const file of workspace.list(enter, start)) {
    if (files.length % AT_ONCE === 0) {
      await nextTurn();
      signal.throwIfAborted();
    }
    if (files.length === MAX_FILES) {
      throw new RefusedCall(`there are more than ${MAX_FILES} files to look through: name a folder in path`);
    }
    files.push(file);
    if (posix.basename(file.path) === '.gitignore') await filter.readRules(folderOf(file.path));
  }
  // Now that all rules are known: a bucket has no folders that could have been passed over.
  return files.filter(({ path }) => !filter.leavesOut(path, false));
}

/** Of paths that were found in another way, those that `findFiles` finds. */
export async function keepFound(
  paths: readonly string[],
  { workspace, start, named }: Pick<Search, 'workspace' | 'start' | 'named'>,
): Promise<string[]> {
  const filter = await FileFilter.open(start, named, workspace);
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) {
      folders.add(folder);
      if (filter.isBelow(folder)) await filter.readRules(folder);
    }
  }
  return paths.filter((path) => !filter.leavesOut(path, false));
}

/**
 * Whether a folder is ignored by a `.gitignore` of its own, as virtual environments and caches are: that says nothing about
 * what is in it.
 */
export async function ignoresItself(folder: string, workspace: Workspace): Promise<boolean> {
  return isAll(await readIgnored(folder, workspace));
}

/** @returns "" where there is none */
async function readIgnored(folder: string, workspace: Workspace): Promise<string> {
  const bytes = await readStart(workspace, posix.join(folder, '.gitignore'), MAX_IGNORE_BYTES);
  return new TextDecoder().decode(bytes);
}

function isAll(text: string): boolean {
  return text.replace(/^#.*/gm, '').trim() === '*';
}

class FileFilter {
  #rules = new IgnoreRules();
  readonly #start: string;
  readonly #named: string;
  readonly #workspace: Workspace;

  private constructor(start: string, named: string, workspace: Workspace) {
    this.#start = start;
    this.#named = `${start}/${named}`;
    this.#workspace = workspace;
  }

  /** Knows the rules above the folder that is searched; none where they leave it out itself. */
  static async open(start: string, named: string, workspace: Workspace): Promise<FileFilter> {
    const filter = new FileFilter(start, named, workspace);
    const segments = start.split('/').filter(Boolean);
    for (let depth = 0; depth < segments.length; depth++) {
      await filter.readRules(segments.slice(0, depth).join('/'));
    }
    if (filter.#rules.leavesOut(start, true)) filter.#rules = new IgnoreRules();
    return filter;
  }

  async readRules(folder: string): Promise<void> {
    const text = await readIgnored(folder, this.#workspace);
    const isNamed = folder === this.#start && isAll(text);
    if (text !== '' && !isNamed) this.#rules.add(folder, text);
  }

  isBelow(folder: string): boolean {
    return this.#start === '' || folder === this.#start || folder.startsWith(`${this.#start}/`);
  }

  /** A path of the workspace as one of the folder that is searched. */
  below(path: string): string {
    return this.#start === '' ? path : path.slice(this.#start.length + 1);
  }

  leavesOut(path: string, isFolder: boolean): boolean {
    if (this.#rules.leavesOut(path, isFolder)) return true;
    return this.below(path)
      .split('/')
      .some((name) => isHidden(name, this.#named));
  }
}

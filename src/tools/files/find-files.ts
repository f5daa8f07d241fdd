import { posix } from 'node:path';
import { type ListedFile, readStart, type Workspace } from '../../agent/workspace.ts';
import { RefusedCall } from './arguments.ts';
import { isHidden } from './hidden.ts';
import { IgnoreRules, MAX_IGNORE_BYTES } from './ignore-rules.ts';

/** Keeps a search of a whole disk from running for minutes. */
const MAX_FILES = 200_000;

export interface Search {
  workspace: Workspace;
  /** A folder of the workspace, "" for all of it. Named, it is looked into even if git ignores it. */
  start: string;
  /** The pattern that files are looked for with, which may name what is hidden otherwise. */
  pattern: string;
  /** Whether a folder, relative to `start`, can have anything in it that is looked for. */
  mayEnter(folder: string, isLink: boolean): boolean;
  signal: AbortSignal;
}

/** The files below a folder but for those that git ignores, and those of git and of Cadre themselves; in any order. */
export async function findFiles({
  workspace,
  start,
  pattern,
  mayEnter,
  signal,
}: Search): Promise<ListedFile[]> {
  const rules = await rulesAbove(start, workspace);
  const named = `${start}/${pattern}`;
  const below = (path: string) => (start === '' ? path : path.slice(start.length + 1));
  const isLeftOut = (path: string, isFolder: boolean) =>
    rules.leavesOut(path, isFolder) ||
    below(path)
      .split('/')
      .some((name) => isHidden(name, named));

  const files: ListedFile[] = [];
  const enter = (folder: string, isLink: boolean) =>
    mayEnter(below(folder), isLink) && !isLeftOut(folder, true);
  for await (const file of workspace.list(enter, start)) {
    if (files.length % 1_000 === 0) signal.throwIfAborted();
    if (files.length === MAX_FILES) {
      throw new RefusedCall(`there are more than ${MAX_FILES} files to look through: name a folder in path`);
    }
    files.push(file);
    if (posix.basename(file.path) === '.gitignore') await addRules(rules, file.path, workspace);
  }
  // Now that all rules are known: a bucket has no folders that could have been passed over.
  return files.filter(({ path }) => !isLeftOut(path, false));
}

/** The rules that hold in a folder by those above it; none where they leave it out itself. */
async function rulesAbove(start: string, workspace: Workspace): Promise<IgnoreRules> {
  const rules = new IgnoreRules();
  const segments = start.split('/').filter(Boolean);
  for (let depth = 0; depth < segments.length; depth++) {
    await addRules(rules, [...segments.slice(0, depth), '.gitignore'].join('/'), workspace);
  }
  return rules.leavesOut(start, true) ? new IgnoreRules() : rules;
}

async function addRules(rules: IgnoreRules, path: string, workspace: Workspace): Promise<void> {
  const bytes = await readStart(workspace, path, MAX_IGNORE_BYTES);
  if (bytes !== undefined) rules.add(parentOf(path), new TextDecoder().decode(bytes));
}

function parentOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}

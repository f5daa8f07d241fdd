import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readStart } from '../../../core/agent-schema/workspace.ts';
import { RESULTS_FOLDER } from '../../../core/records/results-folder.ts';
import { IgnoreRules, MAX_IGNORE_BYTES } from '../../../tools/files/ignore-rules.ts';
import { openFolderWorkspace } from '../../local/workspace/folder-workspace.ts';

/** Folders of Cadre, of which commands see nothing. */
const HIDDEN = ['.cadre', RESULTS_FOLDER];
/** Files of git that can make it run programs: agents change none of them in a workspace. */
const REPOSITORY = '.git';
/** Folders that are never part of the workspace, whether git ignores them or not. */
const APART = [REPOSITORY, 'node_modules'];

/** A file that belongs into the workspace. */
export interface FoundFile {
  /** In the folder, with `/`. */
  path: string;
  size: number;
  /** Differs whenever the file has been changed. */
  stamp: string;
}

/** What does not go into the workspace: what git ignores, links, and empty folders. */
export interface RestEntry extends FoundFile {
  kind: 'file' | 'folder' | 'link';
  mode: number;
  /** Of a link: where it leads. */
  target?: string;
}

/** Whether a file of a workspace is one that commands see. */
export function isForCommands(path: string): boolean {
  return !path.split('/').some((name) => [...HIDDEN, REPOSITORY].includes(name.toLowerCase()));
}

/**
 * Everything in a folder except Cadre's own files. No link is followed.
 * @param isKnown whether a path is in the workspace already: it stays there, even if git ignores it
 */
export async function lookThrough(
  root: string,
  isKnown: (path: string) => boolean,
): Promise<{ files: FoundFile[]; rest: RestEntry[] }> {
  const rules = new IgnoreRules();
  const workspace = openFolderWorkspace(root);
  const files: FoundFile[] = [];
  const rest: RestEntry[] = [];
  const folders = [{ path: '', isApart: false }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const above = folder.path === '' ? '' : `${folder.path}/`;
    if (!folder.isApart) {
      const written = await readStart(workspace, `${above}.gitignore`, MAX_IGNORE_BYTES);
      if (written !== undefined) rules.add(folder.path, new TextDecoder().decode(written));
    }
    const names = readdirSync(join(root, folder.path)).sort();
    const own = folder.path !== '' && names.length === 0 ? entryAt(root, folder.path) : undefined;
    if (own !== undefined) rest.push(own);
    for (const name of names) {
      if (HIDDEN.includes(name.toLowerCase())) continue;
      const path = `${above}${name}`;
      const entry = entryAt(root, path);
      const isFolder = entry?.kind === 'folder';
      const isApart = folder.isApart || APART.includes(name.toLowerCase()) || rules.leavesOut(path, isFolder);
      if (isFolder) folders.push({ path, isApart });
      if (entry === undefined || isFolder) continue;
      if (entry.kind === 'file' && (!isApart || isKnown(path))) files.push(entry);
      else rest.push(entry);
    }
  }
  return { files, rest };
}

/** What the file system says of a file. */
export function stampAt(path: string): string {
  const { size, ino, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
  return [size, ino, mtimeNs, ctimeNs].join('-');
}

/** Undefined for pipes, sockets and devices, which end with the command, and for names that are not valid text. */
function entryAt(root: string, path: string): RestEntry | undefined {
  const whole = join(root, path);
  const stats = lstatSync(whole, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const facts = { path, size: stats.size, stamp: stampAt(whole), mode: stats.mode & 0o777 };
  if (stats.isFile()) return { ...facts, kind: 'file' };
  if (stats.isDirectory()) return { ...facts, kind: 'folder' };
  return stats.isSymbolicLink() ? { ...facts, kind: 'link', target: readlinkSync(whole) } : undefined;
}

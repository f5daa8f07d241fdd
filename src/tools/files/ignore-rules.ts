import { posix } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Larger ones were written by no person. */
export const MAX_IGNORE_BYTES = 1_000_000;

/**
 * Each `*` of a part may multiply the time that a name takes by its length, and rules come with repositories of
 * strangers: those with more are passed over.
 */
const MAX_STARS = 4;

/** The rules of `.gitignore` files, each for its own folder and those below, as git reads them. */
export class IgnoreRules {
  readonly #rules = new Map<string, Ignore>();
  readonly #folders = new Map<string, boolean>();

  /** @param folder of the `.gitignore`, relative to the workspace; "" for the workspace itself */
  add(folder: string, text: string): void {
    const lines = text.split(/\r?\n/).filter(isQuick);
    this.#rules.set(folder, ignore({ ignorecase: false }).add(lines));
    this.#folders.clear();
  }

  /** @param path relative to the workspace */
  leavesOut(path: string, isFolder: boolean): boolean {
    if (this.#rules.size === 0 || path === '') return false;
    const known = isFolder ? this.#folders.get(path) : undefined;
    if (known !== undefined) return known;
    const above = folderOf(path);
    // Nothing below a folder that is left out can be taken in again (gitignore(5)).
    const is = this.leavesOut(above, true) || this.#isNamed(path, above, isFolder);
    if (isFolder) this.#folders.set(path, is);
    return is;
  }

  /** The rules that are nearest have the last word. */
  #isNamed(path: string, above: string, isFolder: boolean): boolean {
    for (let folder = above; ; folder = folderOf(folder)) {
      const rules = this.#rules.get(folder);
      if (rules !== undefined) {
        const below = folder === '' ? path : path.slice(folder.length + 1);
        const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
        if (ignored || unignored) return ignored;
      }
      if (folder === '') return false;
    }
  }
}

function isQuick(line: string): boolean {
  const parts = line.split('/');
  if (parts.filter((part) => part.includes('**')).length > MAX_STARS) return false;
  return parts.every((part) => (part.match(/\*+/g) ?? []).length <= MAX_STARS);
}

/** The folder that a path is in; "" for the workspace itself. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}

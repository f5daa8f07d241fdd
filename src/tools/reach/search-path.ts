import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';

/**
 * The folders of PATH in which we look for programs that nobody named: those that are written in full, lie outside of
 * the folder that agents work in, and were not put there for a project, as npm does with `node_modules/.bin`. In all
 * others, the author of the project or an agent decides what `git` is.
 * @param searchPath as in PATH
 * @param folder absolute
 */
export function ownSearchPath(searchPath: string, folder: string): string {
  const root = join(real(folder), sep);
  const isForeign = (path: string) =>
    path.split(sep).includes('node_modules') || `${path}${sep}`.startsWith(root);
  return searchPath
    .split(delimiter)
    .filter((each) => isAbsolute(each) && ![each, real(each)].some(isForeign))
    .join(delimiter);
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

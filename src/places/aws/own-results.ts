import { posix } from 'node:path';
import type { Workspace } from '../../core/agent-schema/workspace.ts';
import { RESULTS_FOLDER } from '../../core/records/results-folder.ts';

/**
 * A shared workspace in which only the results of calls that are kept as files belong to one owner: nobody else finds
 * them.
 * @param own the owner's workspace with the same workdir
 */
export function withOwnResults(shared: Workspace, own: Workspace): Workspace {
  const at = (path: string) => (isResult(path) ? own : shared);
  return {
    async *list(enter, folder = '') {
      for await (const file of at(folder).list(enter, folder)) {
        if (isResult(folder) || !isResult(file.path)) yield file;
      }
      if (isRoot(folder) && enter(RESULTS_FOLDER, false)) yield* own.list(enter, RESULTS_FOLDER);
    },
    async entries(folder) {
      const entries = await at(folder).entries(folder);
      if (!isRoot(folder)) return entries;
      return entries.filter(({ name }) => !isResult(name));
    },
    stat: (path) => at(path).stat(path),
    read: (path, range) => at(path).read(path, range),
    write: (path, bytes, expected) => at(path).write(path, bytes, expected),
    delete: (path, expected) => at(path).delete(path, expected),
    realPath: (path) => at(path).realPath(path),
    absolutePath: (path) => at(path).absolutePath(path),
  };
}

function isRoot(folder: string): boolean {
  return posix.normalize(folder) === '.';
}

/** Below any folder, since a run keeps them in the one that it works in. Paths of a bucket are relative and know no links. */
function isResult(path: string): boolean {
  return posix.normalize(path).split('/').includes(RESULTS_FOLDER);
}

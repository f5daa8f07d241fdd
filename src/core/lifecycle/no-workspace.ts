import { WorkspaceError, type Workspace } from '../agent-schema/workspace.ts';

function refuse(path: string): never {
  throw new WorkspaceError('failed', path, 'calls that reach agents reach no files');
}

/** For calls that need no files, in a function that may not reach any. */
export const NO_WORKSPACE: Workspace = {
  // oxlint-disable-next-line require-yield -- it has nothing to give
  async *list(_, folder = '') {
    refuse(folder);
  },
  entries: async (folder) => refuse(folder),
  stat: async (path) => refuse(path),
  read: async (path) => refuse(path),
  write: async (path) => refuse(path),
  delete: async (path) => refuse(path),
  realPath: async (path) => refuse(path),
  absolutePath: async (path) => refuse(path),
};

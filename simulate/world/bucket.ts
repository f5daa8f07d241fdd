import { createHash } from 'node:crypto';
import { NO_WORKSPACE } from '../../src/core/lifecycle/no-workspace.ts';
import { type Workspace, WorkspaceError } from '../../src/core/agent-schema/workspace.ts';

/** What each tree finds in its one file, before which it writes. */
export const LAST_LINE = 'END';

/** How one operation of a function is done: it may take time, fail, or be the last. */
type Operate = <T>(effect: () => T) => Promise<T>;

export type Bucket = ReturnType<typeof createBucket>;

/**
 * Files of trees, one for each, that behave like objects of S3: a version appears as a whole, has the same name as any
 * with the same bytes, and is overwritten on the condition that it is still the one that was read.
 * @param isBusy whether another write of the same object is under way
 */
export function createBucket(isBusy: () => boolean) {
  const files = new Map<string, string>();
  /** Everything that was ever written into the file of a tree, line by line. */
  const written = new Map<string, Set<string>>();
  const textOf = (root: string) => files.get(root) ?? LAST_LINE;

  function put(root: string, text: string): void {
    files.set(root, text);
    written.set(root, new Set([...(written.get(root) ?? []), ...text.split('\n')]));
  }

  return {
    textOf,
    writtenTo: (root: string): ReadonlySet<string> => written.get(root) ?? new Set(),

    /** Somebody else writes a line. */
    write: (root: string, line: string) => put(root, `${line}\n${textOf(root)}`),

    /** The files of a tree, as one call of a function reaches them. */
    workspaceOf: (root: string, operate: Operate): Workspace => ({
      ...NO_WORKSPACE,
      realPath: async (path) => path,
      absolutePath: async (path) => `/${path}`,
      read: () =>
        operate(() => {
          const bytes = Buffer.from(textOf(root));
          return { bytes, size: bytes.length, version: () => versionOf(bytes) };
        }),
      write: (path, bytes, expected) =>
        operate(() => {
          if (isBusy()) throw new WorkspaceError('busy', path);
          if (expected !== versionOf(textOf(root))) throw new WorkspaceError('changed', path);
          put(root, Buffer.from(bytes).toString());
          return versionOf(bytes);
        }),
    }),
  };
}

function versionOf(bytes: Uint8Array | string): string {
  return createHash('md5').update(bytes).digest('hex');
}

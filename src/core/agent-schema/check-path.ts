import { WorkspaceError } from './workspace.ts';

/** The longest path that any file system here takes, and longer than any key of S3. */
const MAX_LENGTH = 4_096;

/** Refuses a text that is not a path anywhere, before a file system or a bucket is asked. @throws {WorkspaceError} */
export function checkPath(path: string): void {
  // A path that is refused for its length is not repeated at that length.
  if (path.length > MAX_LENGTH)
    throw new WorkspaceError('failed', `${path.slice(0, 100)}…`, 'it is too long');
  if (path.includes('\0')) throw new WorkspaceError('failed', path, 'it contains a zero byte');
  // Written to disk it would become another name.
  if (!path.isWellFormed()) throw new WorkspaceError('failed', path, 'it contains half a surrogate pair');
}

/** Whether there is no such file. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Why the file system refused, in words. */
export function fileFault(error: unknown): string {
  const code = codeOf(error);
  // Node.js says that of all that keeps it from making a folder with those above it, but that it may not.
  if (code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'mkdir')
    return 'a folder cannot be made there: the disk is read-only, or a link leads nowhere';
  const words = code === undefined ? undefined : WORDS.get(code);
  return words ?? (error instanceof Error ? error.message : String(error));
}

const WORDS = new Map([
  ['EACCES', 'permission denied'],
  ['EEXIST', 'it exists already'],
  ['EDQUOT', 'the quota of the disk is used up'],
  ['EFBIG', 'it is larger than is allowed here'],
  ['EISDIR', 'it is a folder, not a file'],
  ['ELOOP', 'its links lead round in a circle'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'there is no such file or folder'],
  ['ENOSPC', 'the disk is full'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EPERM', 'operation not permitted'],
  ['EROFS', 'the disk is read-only'],
]);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

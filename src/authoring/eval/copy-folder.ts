import { cp, lstat } from 'node:fs/promises';

/**
 * Copies a folder with its links as they are. Pipes, sockets and devices stay behind: agents' commands leave some, such as
 * the socket of a server, and there is nothing in them to copy.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    async filter(path) {
      const stats = await lstat(path);
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    },
  });
}

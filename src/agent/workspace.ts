/** The port to the files that an agent may see: a folder on a machine, a prefix of a bucket in the cloud. */
export interface Workspace {
  /**
   * Paths of the files in it, relative and with `/`, in any order. Links that lead out of the workspace are left out.
   * @param enter asked before each folder is looked into: its path, and whether it is only a link to a folder. What it
   *   refuses need not be walked, but may be.
   * @throws {ConfigError} if the workspace itself cannot be read
   */
  list(enter: (folder: string, isLink: boolean) => boolean): AsyncIterable<string>;

  /**
   * The first `limit` bytes of a file.
   * @returns undefined for what is not a readable regular file inside the workspace
   */
  read(path: string, limit: number): Promise<Uint8Array | undefined>;
}

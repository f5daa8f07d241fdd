/**
 * The port to the files that an agent may see and change: a folder on a machine, a prefix of a bucket in the cloud.
 *
 * Paths are relative to the workspace, with `/`; the workspace itself is `""` or `.`. A path may also be absolute where
 * the workspace has an absolute place of its own. No path leads out of the workspace, through links neither. An
 * operation that is impossible throws a `WorkspaceError`; only a store that does not answer is another error.
 */
export interface Workspace {
  /**
   * The files below a folder, in any order. Links that lead out of the workspace are left out.
   * @param enter asked before each folder is looked into: its path, and whether it is only a link to a folder. A
   * refused folder need not be walked, but may be. A folder's files are given before it is asked about the folders in
   * it.
   * @throws {ConfigError} if the workspace itself cannot be read
   */
  list(enter: (folder: string, isLink: boolean) => boolean, folder?: string): AsyncIterable<ListedFile>;

  /** The entries directly in a folder, in any order. */
  entries(folder: string): Promise<FolderEntry[]>;

  /** The kind and size of the entry at a path, links followed. */
  stat(path: string): Promise<WorkspaceStat>;

  /** Reads a file or a part of it. Nothing but a regular file is ever read, and nothing is waited for. */
  read(path: string, range?: ByteRange): Promise<FileContent>;

  /**
   * Writes a whole file, with the folders above it. The earlier file stays as it is until all of the new one is
   * written.
   * @param expected the version to write over; undefined where there must be no file yet
   * @returns the new version
   * @throws {WorkspaceError} `exists` or `changed` where another version is there, `missing` where the file is gone
   */
  write(path: string, bytes: Uint8Array, expected: string | undefined): Promise<string>;

  /**
   * Deletes a file; the folders above it stay.
   * @throws {WorkspaceError} `changed` where it is not of the expected version
   */
  delete(path: string, expected: string): Promise<void>;

  /** Where a path leads, links followed as far as there is anything: permissions are checked with that path. */
  realPath(path: string): Promise<string>;

  /** The same as its machine names it, from the root of the file system; in a bucket, from that of the workspace. */
  absolutePath(path: string): Promise<string>;

  /**
   * The same workspace, in which a path leads where it led when a person approved it; anything else fails as `moved`.
   * Absent in a bucket, where there are no links.
   * @param real without links
   */
  heldTo?(path: string, real: string): Workspace;

  /**
   * Asks a program that searches faster than we do for the files that may have a line that matches. It may name too
   * many, and none too few. Undefined where there is none, or it cannot take this query.
   */
  findCandidates?(query: LineQuery, signal: AbortSignal): Promise<string[] | undefined>;

  /**
   * The git repository that the workspace is. Undefined if it is none, if there is no git, or if it cannot be read
   * without running what it configures. Absent in a bucket, where there never is one.
   */
  repository?(): Repository | undefined;
}

/** Reads a repository with git. Nothing that the repository names is run, and nothing in it is changed. */
export interface Repository {
  /**
   * @param args of git, the command first; texts of a model only where no option can be
   * @throws {WorkspaceError} with what git says, if it fails
   */
  git(args: readonly string[], signal: AbortSignal): Promise<GitOutput>;
}

export interface GitOutput {
  text: string;
  /** Whether there was more than is ever read. */
  isCut: boolean;
}

/** The methods that are needed to open an agent: to show files to it, and to know what it can be offered. */
export type ReadableFiles = Pick<Workspace, 'list' | 'read' | 'repository'>;

export interface ListedFile {
  path: string;
  /** Whether it is only a link to a file. */
  isLink: boolean;
  /** As `FileContent` has it; absent where a list does not tell. */
  version?: string;
  /** Undefined where it is gone meanwhile. */
  stat(): Promise<FileStat | undefined>;
  /** As a workspace does, without the way to the file being looked up again. */
  read(range?: ByteRange): Promise<FileContent>;
}

export interface FileStat {
  /** In bytes. */
  size: number;
  /** In milliseconds since 1970. */
  modified: number;
}

export interface WorkspaceStat extends FileStat {
  kind: 'file' | 'folder';
}

export interface FolderEntry {
  name: string;
  /**
   * `other` is an entry that cannot be read here: a device, a pipe, a link that leads out of the workspace or nowhere.
   */
  kind: 'file' | 'folder' | 'other';
  /** Whether it is only a link to that. */
  isLink: boolean;
  /** Of a file, in bytes. */
  size: number;
}

/** In bytes. Absent: from the start, and to the end. */
export interface ByteRange {
  offset?: number;
  limit?: number;
}

export interface FileContent {
  bytes: Uint8Array;
  /** Of the whole file, in bytes. */
  size: number;
  /** Differs whenever the content of the whole file does. */
  version(): string;
}

/** The pattern of the wanted lines, in RE2's syntax, and where to look. */
export interface LineQuery {
  pattern: string;
  ignoreCase: boolean;
  folder: string;
  /** Names of files and folders that need not be looked into, as little as what git ignores. */
  leftOut: readonly string[];
}

/** Why something could not be done with a path. */
export type WorkspaceFault =
  | 'outside'
  | 'missing'
  | 'folder'
  | 'not a folder'
  | 'special'
  | 'exists'
  | 'changed'
  | 'moved'
  | 'busy'
  | 'failed';

const WORDS: Record<WorkspaceFault, (path: string, reason: string) => string> = {
  outside: (path) => `path "${path}" is outside the workdir`,
  missing: (path) => `there is no file or folder "${path}"`,
  folder: (path) => `"${path}" is a folder, not a file`,
  'not a folder': (path) => `"${path}" is not a folder`,
  special: (path) => `"${path}" is not a regular file`,
  exists: (path) => `"${path}" exists already`,
  changed: (path) => `"${path}" has changed since it was read`,
  moved: (path) => `"${path}" does not lead where it led when it was approved`,
  busy: (path) => `"${path}" is being written by another process: try again`,
  failed: (path, reason) => `"${path}" cannot be used: ${reason}`,
};

/** Whose files an agent works on, as its conversation was opened. */
export interface FileOwner {
  /** The `ownerKey` of the run's owner; absent: the account. */
  owner?: string;
  /** Whether it works on the account's all the same; only results that are kept as files are its owner's. */
  sharesWorkspace?: true;
}

/** Something that cannot be done with a path of a workspace, in words for a model or a person. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';

  /** @param reason for `failed` only: what the file system says, in words */
  constructor(
    readonly fault: WorkspaceFault,
    readonly path: string,
    reason = '',
    options?: ErrorOptions,
  ) {
    super(WORDS[fault](path, reason), options);
  }
}

/** The first `limit` bytes of a file; undefined for one that cannot be read, for any reason. */
export async function readStart(
  workspace: ReadableFiles,
  path: string,
  limit: number,
): Promise<Uint8Array | undefined> {
  try {
    return (await workspace.read(path, { limit })).bytes;
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined;
    throw error;
  }
}

/** @throws {ConfigError} if the workspace cannot be read: a workdir that is not there */
export async function assertReadable(workspace: ReadableFiles): Promise<void> {
  for await (const _ of workspace.list(() => false)) return;
}

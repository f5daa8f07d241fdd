import { execFile } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { WorkspaceError } from '../../core/agent-schema/workspace.ts';
import { ConfigError, messageOf } from '../../errors.ts';
import { findProgram } from '../../places/local/workspace/find-program.ts';
import { openFolderWorkspace } from '../../places/local/workspace/folder-workspace.ts';
import { realPathOf } from '../../places/local/workspace/open-inside.ts';

/** A revision of a project, laid out in a folder of its own. */
export interface Revision {
  /** Absolute: the project in it. */
  folder: string;
  remove(): Promise<void>;
}

const NEVER = new AbortController().signal;

/**
 * Lays out a revision of the repository that a project is in. Nothing that the repository names is run, and its work tree
 * and index stay as they are. Packages are those that are installed now, unless they are in the repository, too.
 * @param cwd absolute: the project's folder
 * @param searchPath where programs are, as in PATH
 * @throws {ConfigError} if there is no such revision
 */
export async function layOutRevision(cwd: string, revision: string, searchPath: string): Promise<Revision> {
  const project = realPathOf(cwd);
  const top = repositoryAround(project);
  const repository = top === undefined ? undefined : openFolderWorkspace(top, { searchPath }).repository?.();
  if (top === undefined || repository === undefined)
    throw new ConfigError(`git:${revision}: ${cwd} is in no repository of git that can be read here`);
  const tar = findProgram('tar', searchPath, project);
  if (tar === undefined)
    throw new ConfigError(`git:${revision}: tar is not installed, which lays revisions out`);
  const commit = await repository
    .git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], NEVER)
    .catch((thrown: unknown) => {
      if (!(thrown instanceof WorkspaceError)) throw thrown;
    });
  if (commit === undefined) throw new ConfigError(`git:${revision}: there is no such revision`);
  const folder = await mkdtemp(join(tmpdir(), 'cadre-revision-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'archive.tar');
    const tree = join(folder, 'tree');
    await repository.git(['archive', '--format=tar', `--output=${archive}`, commit.text.trim()], NEVER);
    await mkdir(tree);
    await promisify(execFile)(tar, ['-x', '-f', archive, '-C', tree]);
    await rm(archive);
    const laidOut = join(tree, relative(top, project));
    if (realPathOf(laidOut) !== join(realPathOf(tree), relative(top, project)))
      throw new ConfigError(`${relative(top, project)} is a link in it`);
    const packages = join(project, 'node_modules');
    const own = lstatSync(join(laidOut, 'node_modules'), { throwIfNoEntry: false });
    if (own === undefined && existsSync(packages)) await symlink(packages, join(laidOut, 'node_modules'));
    return { folder: laidOut, remove };
  } catch (thrown) {
    await remove();
    throw new ConfigError(`git:${revision} cannot be laid out: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function repositoryAround(folder: string): string | undefined {
  for (let each = folder; ; each = dirname(each)) {
    if (existsSync(join(each, '.git'))) return each;
    if (each === dirname(each)) return undefined;
  }
}

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import type { Workspace } from '../../../core/agent-schema/workspace.ts';
import { findFiles } from '../../../tools/files/find-files.ts';
import { copyFiles, type Copied } from '../../../places/local/workspace/copy-files.ts';
import { openFolderWorkspace } from '../../../places/local/workspace/folder-workspace.ts';
import { ownerKeyOf } from '../../../core/records/owner.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';
import { counted } from '../../../counted.ts';
import { defined } from '../../../defined.ts';

export interface WorkspaceOptions {
  env: string;
  /** Which part of the environment's workspace: the workdir of an agent. */
  workdir?: string;
  /** Whose; absent: the account's. */
  owner?: string;
  /** Of the tokens that name owners; absent: the environment's. */
  issuer?: string;
}

export interface CopyOptions extends WorkspaceOptions {
  force?: boolean;
}

/** `cadre workspace list`: the files that agents of an environment work on, with their sizes in bytes. */
export async function listWorkspace(options: WorkspaceOptions, io: Io): Promise<number> {
  const lines: string[] = [];
  for await (const { path, stat: look } of (await openRemote(options)).list(() => true)) {
    lines.push(`${path}\t${(await look())?.size ?? 0}`);
  }
  for (const line of lines.sort()) io.stdout(`${line.split('\t').map(oneLine).join('\t')}\n`);
  return EXIT.success;
}

/**
 * `cadre workspace pull`: copies the files of an environment into a folder.
 * @throws {ConfigError} if other content is there, and nothing says to overwrite it
 */
export async function pullWorkspace(folder: string, options: CopyOptions, io: Io): Promise<number> {
  const remote = await openRemote(options);
  const paths: string[] = [];
  for await (const { path } of remote.list(() => true)) paths.push(path);
  const local = openFolderWorkspace(await existing(folder, io));
  return tell('pulled', await copyFiles(paths.sort(), remote, local, options.force ?? false), io);
}

/**
 * `cadre workspace push`: copies the files of a folder to an environment, but for those that git would leave out.
 * @throws {ConfigError} as above
 */
export async function pushWorkspace(folder: string, options: CopyOptions, io: Io): Promise<number> {
  const local = openFolderWorkspace(await existing(folder, io));
  const found = await findFiles({
    workspace: local,
    start: '',
    named: '',
    mayEnter: (_, isLink) => !isLink,
    signal: new AbortController().signal,
  });
  const paths = found.map(({ path }) => path).sort();
  return tell('pushed', await copyFiles(paths, local, await openRemote(options), options.force ?? false), io);
}

export async function openRemote({ env, workdir = '', owner, issuer }: WorkspaceOptions): Promise<Workspace> {
  const { findDeployment } = await import('../../../places/aws/cloud-deployment.ts');
  const { cloudWorkspaces } = await import('../../../places/aws/cloud-workspace.ts');
  const deployment = await findDeployment(env);
  const { bucketName, region } = deployment;
  const key = ownerKeyOf({ issuer: issuer ?? deployment.issuer, owner });
  return cloudWorkspaces(bucketName, region)(workdir, defined({ owner: key }));
}

async function existing(folder: string, { cwd }: Io): Promise<string> {
  const path = resolve(cwd, folder);
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() !== true) throw new ConfigError(`there is no folder ${path}`);
  return path;
}

/** At most so many names are listed. */
const MAX_NAMED = 10;

/** @throws {ConfigError} if nothing was copied, since other content is there */
export function tell(done: string, { written, same, differing }: Copied, io: Io): number {
  if (differing.length > 0) {
    const named = differing.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
    const others =
      differing.length > MAX_NAMED ? ` and ${counted(differing.length - MAX_NAMED, 'other')}` : '';
    throw new ConfigError(
      `nothing was ${done}: other content is there of ${named.join(', ')}${others}; overwrite it with --force`,
    );
  }
  for (const path of written) io.stdout(`${oneLine(path)}\n`);
  io.stderr(`${counted(written.length, 'file')} ${done}, ${same.length} already the same\n`);
  return EXIT.success;
}

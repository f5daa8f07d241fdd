import { openFolderMaintenance } from '../../../places/local/folder-maintenance.ts';
import type { FolderMaintenance } from '../../../places/maintenance.ts';
import type { Run } from '../../../core/records/run.ts';
import { ConfigError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { counted } from '../../../counted.ts';
import { moment } from '../terminal/figures.ts';
import type { Io } from '../terminal/io.ts';
import { findRun } from './find-run.ts';

export interface DeleteOptions {
  /** Which run: see findRun. */
  delete?: string;
  /** In its place, milliseconds: all trees that began longer ago, but for those that a process carries out. */
  olderThan?: number;
  env?: string;
}

/**
 * `cadre runs --delete <run>` and `cadre runs --older-than <age>`: removes runs of this folder with everything below
 * them.
 * @returns the exit code
 * @throws {ConfigError} if the run is not there, not the top of its tree, or carried out by a process
 */
export async function deleteRuns(options: DeleteOptions, io: Io): Promise<number> {
  if (options.env !== undefined) {
    throw new ConfigError(
      'runs of a deployed environment cannot be deleted: they expire after its runDays; omit --env',
    );
  }
  const folder = await openFolderMaintenance(io.cwd);
  try {
    if (options.delete !== undefined) await deleteOne(options.delete, folder, io);
    else await deleteOld(Date.now() - (options.olderThan ?? 0), folder, io);
    return EXIT.success;
  } finally {
    await folder.close();
  }
}

async function deleteOne(word: string, folder: FolderMaintenance, io: Io): Promise<void> {
  const run = await findRun(word, folder.records);
  if (run.parent !== undefined) {
    throw new ConfigError(
      `"${run.id}" is a sub-agent's run; delete the whole tree with: cadre runs --delete ${run.root}`,
    );
  }
  await remove(run, folder, io);
}

async function deleteOld(before: number, folder: FolderMaintenance, io: Io): Promise<void> {
  const old: Run[] = [];
  const limit = new Date(before).toISOString();
  for await (const run of folder.records.roots(Infinity)) if (run.startedAt < limit) old.push(run);
  if (old.length === 0) return io.stderr(`no run in this folder began before ${moment(limit)}\n`);
  for (const run of old) {
    try {
      await remove(run, folder, io);
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      io.stderr(`not deleted: ${thrown.message}\n`);
    }
  }
}

async function remove(run: Run, folder: FolderMaintenance, io: Io): Promise<void> {
  const { length } = await folder.records.tree(run.id);
  await folder.deleteTree(run);
  io.stdout(`deleted ${run.id}, began ${moment(run.startedAt)}, ${counted(length, 'run')}\n`);
}

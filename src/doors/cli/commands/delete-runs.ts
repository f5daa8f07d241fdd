import { deleteLocalRun } from '../../../places/local/delete-local-run.ts';
import { findLocalStore, type LocalStore } from '../../../places/local/local-store.ts';
import type { Run } from '../../../core/records/run.ts';
import { ConfigError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { counted } from '../../../counted.ts';
import { moment } from '../terminal/figures.ts';
import type { Io } from '../terminal/io.ts';
import { findRun, runNotFound } from './find-run.ts';

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
  const local = await findLocalStore(io.cwd);
  try {
    if (options.delete !== undefined) await deleteOne(options.delete, local, io);
    else await deleteOld(Date.now() - (options.olderThan ?? 0), local, io);
    return EXIT.success;
  } finally {
    await local?.close();
  }
}

async function deleteOne(word: string, local: LocalStore | undefined, io: Io): Promise<void> {
  if (local === undefined) throw runNotFound(word);
  const run = await findRun(word, local.runs);
  if (run.parent !== undefined) {
    throw new ConfigError(
      `"${run.id}" is a sub-agent's run; delete the whole tree with: cadre runs --delete ${run.root}`,
    );
  }
  await remove(run, local, io);
}

async function deleteOld(before: number, local: LocalStore | undefined, io: Io): Promise<void> {
  const old: Run[] = [];
  const limit = new Date(before).toISOString();
  for await (const run of local?.runs.roots(Infinity) ?? []) if (run.startedAt < limit) old.push(run);
  if (local === undefined || old.length === 0)
    return io.stderr(`no run in this folder began before ${moment(limit)}\n`);
  for (const run of old) {
    try {
      await remove(run, local, io);
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      io.stderr(`not deleted: ${thrown.message}\n`);
    }
  }
}

async function remove(run: Run, local: LocalStore, io: Io): Promise<void> {
  const { length } = await local.runs.tree(run.id);
  await deleteLocalRun(run, local);
  io.stdout(`deleted ${run.id}, began ${moment(run.startedAt)}, ${counted(length, 'run')}\n`);
}

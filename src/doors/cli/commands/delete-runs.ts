import { openFolderMaintenance } from '../../../places/local/folder-maintenance.ts';
import type { FolderMaintenance, Removal, Removable } from '../../../places/maintenance.ts';
import { firstOf, timeKey } from '../../../core/records/run-id.ts';
import { ConfigError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { counted } from '../../../counted.ts';
import { moment } from '../terminal/figures.ts';
import type { Io } from '../terminal/io.ts';
import { findRun } from './find-run.ts';

export interface DeleteOptions {
  /** Which run: see findRun. */
  delete?: string;
  /** Instead, milliseconds: all trees that began longer ago, except those that a process carries. */
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
  const run = await findRun(word, folder);
  if (run.parent !== undefined) {
    throw new ConfigError(
      `"${run.id}" is a sub-agent's run; delete the whole tree with: cadre runs --delete ${run.root}`,
    );
  }
  for await (const [removal] of folder.deleteTrees([run])) {
    if (removal?.fault !== undefined) throw removal.fault;
    if (removal !== undefined) io.stdout(deletedLine(removal));
  }
}

async function deleteOld(before: number, folder: FolderMaintenance, io: Io): Promise<void> {
  const limit = new Date(before).toISOString();
  let isAny = false;
  for await (const removals of folder.deleteTrees(rootsBefore(before, folder))) {
    isAny = true;
    for (const { fault } of removals) if (fault !== undefined) io.stderr(`not deleted: ${fault.message}\n`);
    io.stdout(removals.map((removal) => (removal.fault === undefined ? deletedLine(removal) : '')).join(''));
  }
  if (!isAny) io.stderr(`no run in this folder began before ${moment(limit)}\n`);
}

/** A tree's key has the time of its request, which is not later than its beginning. */
async function* rootsBefore(
  before: number,
  { records, unbegun }: FolderMaintenance,
): AsyncGenerator<Removable> {
  const limit = new Date(before).toISOString();
  const listed = records.roots(Infinity, { after: firstOf(timeKey(before)) });
  for await (const top of listed) if (top.startedAt < limit) yield top;
  for await (const top of unbegun()) if (top.startedAt < limit) yield top;
}

function deletedLine({ top, runs = 0 }: Removal): string {
  return `deleted ${top.id}, began ${moment(top.startedAt)}, ${counted(runs, 'run')}\n`;
}

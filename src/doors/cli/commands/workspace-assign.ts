import { ConfigError } from '../../../errors.ts';
import { isRunId } from '../../../core/records/run-id.ts';
import { RESULTS_FOLDER } from '../../../core/records/results-folder.ts';
import { copyFiles } from '../../../places/local/workspace/copy-files.ts';
import { openMaintenance } from '../../../authoring/loading/open-maintenance.ts';
import type { Io } from '../terminal/io.ts';
import { openRemote, tell, type CopyOptions } from './workspace.ts';
import { belongsTo } from '../../../core/records/owner.ts';

/**
 * `cadre workspace assign --owner <owner> [path...]`: moves files of the account to an owner: the given paths with
 * everything below them, and results that runs of the owner have stored as files.
 * @throws {ConfigError} if a path leads to nothing, or other content is there and nothing says to overwrite it
 */
export async function assignWorkspace(
  wanted: readonly string[],
  { owner, ...options }: CopyOptions & { owner: string },
  io: Io,
): Promise<number> {
  const [shared, own] = await Promise.all([openRemote(options), openRemote({ ...options, owner })]);
  const all: string[] = [];
  for await (const { path } of shared.list(() => true)) all.push(path);
  const { records, issuer } = await openMaintenance(options, io.cwd);
  const paths = new Set<string>();
  for (const path of all) {
    const run = runOfResult(path);
    if (run !== undefined && belongsTo((await records.run(run)) ?? {}, { owner, issuer })) paths.add(path);
  }
  for (const path of wanted) {
    const named = all.filter((each) => each === trimmed(path) || each.startsWith(`${trimmed(path)}/`));
    if (named.length === 0) throw new ConfigError(`the account has no file ${JSON.stringify(path)}`);
    for (const each of named) paths.add(each);
  }
  // A file that changes while it is moved stays, in its new version.
  const versions = new Map<string, string>();
  for (const path of paths) versions.set(path, (await shared.read(path, { limit: 1 })).version());
  const code = tell('moved', await copyFiles([...paths].sort(), shared, own, options.force ?? false), io);
  for (const [path, version] of versions) await shared.delete(path, version);
  return code;
}

/** The run whose result was kept as this file: `.cadre-results/<run>-t1c2.txt`. */
function runOfResult(path: string): string | undefined {
  const [folder, name = ''] = path.split('/');
  const run = /^(.+)-t\d+c\d+\.txt$/.exec(name)?.[1];
  return folder === RESULTS_FOLDER && run !== undefined && isRunId(run) ? run : undefined;
}

function trimmed(path: string): string {
  return path.replace(/^\.?\/+|\/+$/g, '');
}

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { targetTexts } from '../../../core/agent-schema/targets.ts';
import {
  trustedAbove,
  trustedFolders,
  trustNoMore,
  trustNow,
} from '../../../authoring/trust/trusted-folders.ts';
import { ConfigError } from '../../../errors.ts';
import { programsOf } from '../../../places/local/folder-trust.ts';
import { shellWord } from '../../../shell-word.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';

export interface TrustOptions {
  list?: boolean;
  remove?: boolean;
}

/**
 * `cadre trust`: records that the user trusts folders, and shows what their agents start; lists trusted folders, or
 * forgets them.
 * @param folders relative to where the command is called; none for that folder itself
 * @returns the exit code
 * @throws {ConfigError} if a folder is not there, may not be trusted, or is not trusted itself
 */
export async function trust(folders: readonly string[], options: TrustOptions, io: Io): Promise<number> {
  if (options.list === true) {
    for (const folder of trustedFolders(io.env)) io.stdout(`${shellWord(folder)}\n`);
    return EXIT.success;
  }
  for (const folder of folders.length === 0 ? ['.'] : folders) {
    const path = resolve(io.cwd, folder);
    if (options.remove === true) remove(path, io);
    else await add(path, io);
  }
  return EXIT.success;
}

async function add(path: string, { env, stdout }: Io): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() !== true) throw new ConfigError(`no such folder: ${path}`);
  const source = openAgentFolders({ cwd: path, env });
  const programs = targetTexts(await programsOf(await source.list(), source));
  const what = programs.length === 0 ? 'its agents start no programs now' : 'its agents may start:';
  stdout(`trusted ${shellWord(trustNow(path, env))} with everything in it; ${what}\n`);
  for (const program of programs) stdout(`  ${program}\n`);
}

/** A folder that is gone can be forgotten, too. */
function remove(path: string, { env, stdout }: Io): void {
  if (trustNoMore(path, env)) return stdout(`no longer trusted: ${shellWord(path)}\n`);
  const above = trustedAbove(path, env);
  throw new ConfigError(
    above === undefined
      ? `${path} is not trusted; cadre trust --list names the folders that are`
      : `${path} is trusted as a part of another folder; cadre trust --remove ${shellWord(above)}`,
  );
}

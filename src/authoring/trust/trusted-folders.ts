import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../errors.ts';
import { homeFolder } from '../../places/local/home-folder.ts';
import { fileFault, isMissing } from '../../places/local/workspace/file-fault.ts';
import { isInside } from '../../places/local/workspace/inside.ts';
import { realPathOf } from '../../places/local/workspace/open-inside.ts';
import { readSmallFileNow } from '../../places/local/workspace/small-file.ts';
import { trustFolder } from '../config/config-folder.ts';

// One file for each folder that the user has trusted, named by a digest of the folder's path: two processes that write
// at once take nothing from each other.

type Env = Readonly<Record<string, string | undefined>>;

/** Whether the user has trusted a folder, or one that it lies in. Links are followed: what counts is where it is. */
export function isTrustedFolder(folder: string, env: Env): boolean {
  return trustedAbove(folder, env) !== undefined;
}

/** The folder itself or the nearest one above it that is trusted. */
export function trustedAbove(folder: string, env: Env): string | undefined {
  for (let each = realPathOf(folder); ; each = dirname(each)) {
    if (existsSync(entryOf(each, env))) return each;
    if (each === dirname(each)) return undefined;
  }
}

/** The trusted folders, sorted. @throws {ConfigError} if they cannot be read */
export function trustedFolders(env: Env): string[] {
  const kept = trustFolder(env);
  try {
    return readdirSync(kept)
      .map((entry) => readSmallFileNow(join(kept, entry), `failed to read ${join(kept, entry)}`))
      .map((bytes) => new TextDecoder().decode(bytes))
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error instanceof ConfigError ? error : keepingFailed(error, env);
  }
}

/**
 * Keeps that the user trusts a folder with everything in it.
 * @returns its path without links
 * @throws {ConfigError} if it may not be trusted, or that cannot be kept
 */
export function trustNow(folder: string, env: Env): string {
  const real = realPathOf(folder);
  if (holdsHome(real, env)) {
    throw new ConfigError(
      `${real} cannot be trusted: everything that you clone into your home would be trusted with it; trust the folders of projects, or pass --trust`,
    );
  }
  try {
    mkdirSync(trustFolder(env), { recursive: true, mode: 0o700 });
    writeFileSync(entryOf(real, env), real, { mode: 0o600 });
  } catch (error) {
    throw keepingFailed(error, env);
  }
  return real;
}

/** @returns whether the folder itself was trusted */
export function trustNoMore(folder: string, env: Env): boolean {
  const entry = entryOf(realPathOf(folder), env);
  if (!existsSync(entry)) return false;
  try {
    rmSync(entry);
  } catch (error) {
    throw keepingFailed(error, env);
  }
  return true;
}

/** Whether a folder is the user's home, or one above it. @param real without links */
export function holdsHome(real: string, env: Env): boolean {
  return isInside(realPathOf(homeFolder(env)), real);
}

function entryOf(real: string, env: Env): string {
  return join(trustFolder(env), createHash('sha256').update(real).digest('hex'));
}

function keepingFailed(cause: unknown, env: Env): ConfigError {
  return new ConfigError(
    `cannot record trusted folders in ${trustFolder(env)}: ${fileFault(cause)}; CADRE_TRUST=1 trusts a folder without it`,
    { cause },
  );
}

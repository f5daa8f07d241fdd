import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { fileFault, isMissing } from '../../../places/local/workspace/file-fault.ts';
import { readSmallFile } from '../../../places/local/workspace/small-file.ts';

/**
 * The names of the folders in a root's skills/, each of which may hold a SKILL.md.
 * @throws {ConfigError} if there is such a folder that cannot be read
 */
export async function skillsIn(root: string): Promise<string[]> {
  const folder = join(root, 'skills');
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => entry.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new ConfigError(`failed to read skills folder ${folder}: ${fileFault(error)}`, { cause: error });
  }
}

/**
 * The text of a skill in a file.
 * @returns undefined if there is no such file
 * @throws {ConfigError} if there is one that cannot be read
 */
export async function readSkillFile(path: string): Promise<string | undefined> {
  const bytes = await readSmallFile(path, `failed to read skill ${path}`);
  return bytes && new TextDecoder().decode(bytes);
}

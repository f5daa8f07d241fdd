import { readSmallFile } from './small-file.ts';

/**
 * The text of a skill in a file.
 * @returns undefined if there is no such file
 * @throws {ConfigError} if there is one that cannot be read
 */
export async function readSkillFile(path: string): Promise<string | undefined> {
  const bytes = await readSmallFile(path, `failed to read skill ${path}`);
  return bytes && new TextDecoder().decode(bytes);
}

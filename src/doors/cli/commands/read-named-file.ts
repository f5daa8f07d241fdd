import { resolve } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { readSmallFile } from '../../../places/local/workspace/small-file.ts';

/** A recording contains every prompt and answer of a tree; a string of Node.js may have no more than twice this. */
const MOST_BYTES = 256_000_000;

/**
 * The text of a file named on the command line.
 * @param file relative to where the command is called
 * @throws {ConfigError} if it cannot be read, or is not a regular file
 */
export async function readNamedFile(file: string, cwd: string): Promise<string> {
  const label = `cannot read ${file}`;
  const bytes = await readSmallFile(resolve(cwd, file), label, MOST_BYTES);
  if (bytes === undefined) throw new ConfigError(`${label}: there is no such file or folder`);
  return new TextDecoder().decode(bytes);
}

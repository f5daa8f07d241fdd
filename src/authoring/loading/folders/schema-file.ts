import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import { isInside } from '../../../places/local/workspace/inside.ts';
import { readSmallFile } from '../../../places/local/workspace/small-file.ts';

/**
 * The text of a file that an agent's file names.
 * @param root absolute: the folder that contains agents/
 * @param file relative to it
 * @throws {ConfigError} where it cannot be read, or links lead out of the root
 */
export async function readSchemaFile(root: string, file: string): Promise<string> {
  const path = await realpath(resolve(root, file)).catch((error: unknown) => {
    throw new ConfigError(`failed to read ${file}: ${fileFault(error)}`, { cause: error });
  });
  if (!isInside(path, await realpath(root))) throw new ConfigError(`${file} leads out of ${root}`);
  const bytes = await readSmallFile(path, `failed to read ${file}`);
  if (bytes === undefined) throw new ConfigError(`failed to read ${file}: it has just been removed`);
  return new TextDecoder().decode(bytes);
}

import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { fileFault, isMissing } from './file-fault.ts';
import { isInside } from './inside.ts';

/**
 * Finds the module of a function.
 * @param root absolute: the folder that contains agents/
 * @param file relative to it
 * @returns its absolute path, links followed
 * @throws {ConfigError} where it is not there, or links lead out of the root
 */
export async function findModule(root: string, file: string): Promise<string> {
  try {
    const path = await realpath(resolve(root, file));
    if (!isInside(path, await realpath(root))) throw new ConfigError(`module ${file} leads out of ${root}`);
    if (!(await stat(path)).isFile()) throw new ConfigError(`module ${file} is not a file`);
    return path;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reason = isMissing(error) ? 'not found' : fileFault(error);
    throw new ConfigError(`module ${file}: ${reason}`, { cause: error });
  }
}

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LoadedAgent } from '../src/core/agent-schema/agent-source.ts';
import { ownFunctions } from '../src/core/agent-schema/own-functions.ts';
import { moduleFunctionPart } from '../src/places/aws/deployment.ts';
import { ConfigError } from '../src/errors.ts';
import { bundleModule } from '../src/places/local/workspace/bundle-module.ts';
import { findModule } from '../src/places/local/workspace/module-file.ts';
import type { UserModule } from './project.ts';

/**
 * Each module that agents name once, however many have it; the longest of their times is its own.
 * @throws {ConfigError} where a name stands for two modules, or for one with different variables
 */
export function modulesOf(agents: ReadonlyMap<string, LoadedAgent>): UserModule[] {
  const modules = new Map<string, UserModule>();
  for (const [agent, loaded] of agents) {
    for (const { name, description, source, seconds: own } of ownFunctions(loaded.agent)) {
      if (!('file' in source)) continue;
      const { file, env = {} } = source;
      const other = modules.get(name);
      if (other !== undefined && other.file !== file) {
        throw new ConfigError(
          `${loaded.file?.path ?? agent}: function "${name}" is ${file} here and ${other.file} for another agent: give one of them another name`,
        );
      }
      if (other !== undefined && !isDeepStrictEqual(other.env, env)) {
        throw new ConfigError(
          `${loaded.file?.path ?? agent}: the env of function "${name}" is not the one that another agent gives it: give one of them another name`,
        );
      }
      const seconds = Math.max(own, other?.seconds ?? 0);
      modules.set(name, { name, description: other?.description ?? description, file, seconds, env });
    }
  }
  return [...modules.values()];
}

/**
 * Bundles the modules as they are deployed, a folder each.
 * @param folder absolute: where the functions are laid out
 * @param root absolute: the folder that contains the agents' folder
 * @throws {ConfigError} with the place of a fault in one of them
 */
export async function stageModules(
  folder: string,
  modules: readonly UserModule[],
  root: string,
): Promise<void> {
  for (const { name, file } of modules) {
    const text = await bundleModule({ root, entry: await findModule(root, file), target: 'node24' });
    const own = join(folder, moduleFunctionPart(name));
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'index.mjs'), text);
  }
}

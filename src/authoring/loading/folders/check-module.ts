import type { FolderTrust } from '../../../places/local/folder-trust.ts';
import { bundleModule } from '../../../places/local/workspace/bundle-module.ts';
import { findModule } from '../../../places/local/workspace/module-file.ts';

/**
 * Looks whether the module of a function can be called: bundles it, as it is before each call, and runs none of it. That
 * starts a process and reads all that the module imports, so where the folder is not trusted, the module is only found.
 * @throws {ConfigError} with the place of the fault
 */
export function createCheckModule({ isTrusted }: Pick<FolderTrust, 'isTrusted'>) {
  return async (root: string, file: string): Promise<void> => {
    const entry = await findModule(root, file);
    if (isTrusted()) await bundleModule({ root, entry, target: 'node20' });
  };
}

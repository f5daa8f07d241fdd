import { bundleModule } from '../../../places/local/workspace/bundle-module.ts';
import { findModule } from '../../../places/local/workspace/module-file.ts';

/**
 * Looks whether the module of a function can be called: bundles it, as it is before each call, and runs none of it.
 * @throws {ConfigError} with the place of the fault
 */
export async function checkModule(root: string, file: string): Promise<void> {
  await bundleModule({ root, entry: await findModule(root, file), target: 'node20' });
}

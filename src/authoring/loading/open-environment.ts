import type { Environment } from '../../places/environment.ts';
import type { Surroundings } from './local-sources.ts';

/**
 * Opens a deployed environment, or that of a folder.
 * @param name `dev`; undefined for the folder
 */
export async function openEnvironment(
  name: string | undefined,
  surroundings: Surroundings,
): Promise<Environment> {
  if (name !== undefined)
    return (await import('../../places/aws/cloud-environment.ts')).openCloudEnvironment(name);
  const { openFolder } = await import('../../places/local/open-folder.ts');
  const sources = async () => (await import('./local-sources.ts')).localSources(surroundings);
  return openFolder({ cwd: surroundings.cwd, sources });
}

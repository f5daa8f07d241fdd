import type { Maintenance } from '../../places/maintenance.ts';

/**
 * Opens what an operator maintains in a deployed environment, or in a folder.
 * @param environment `dev`; undefined for the folder
 */
export async function openMaintenance(environment: string | undefined, cwd: string): Promise<Maintenance> {
  if (environment === undefined) {
    return (await import('../../places/local/folder-maintenance.ts')).openFolderMaintenance(cwd);
  }
  return (await import('../../places/aws/cloud-maintenance.ts')).openCloudMaintenance(environment);
}

import type { Maintenance } from '../../places/maintenance.ts';
import { defined } from '../../defined.ts';

/** What is maintained. */
export interface Maintained {
  /** A deployed environment: `dev`; absent: the folder. */
  env?: string;
  /** Of the tokens that name owners, in place of the environment's own. */
  issuer?: string;
}

/** Opens what an operator maintains in a deployed environment, or in a folder. */
export async function openMaintenance({ env, issuer }: Maintained, cwd: string): Promise<Maintenance> {
  const opened =
    env === undefined
      ? await (await import('../../places/local/folder-maintenance.ts')).openFolderMaintenance(cwd)
      : await (await import('../../places/aws/cloud-maintenance.ts')).openCloudMaintenance(env);
  return { ...opened, ...defined({ issuer }) };
}

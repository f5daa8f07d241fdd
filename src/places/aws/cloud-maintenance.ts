import type { Maintenance } from '../maintenance.ts';
import { findDeployment } from './cloud-deployment.ts';
import { openCloudStore } from './store/cloud-store.ts';

/**
 * Opens the memories of a deployed environment, with the caller's own credentials.
 * @throws {ConfigError} if there is no such environment
 */
export async function openCloudMaintenance(environment: string): Promise<Maintenance> {
  const { region, tableName, bucketName: bucket, keepDays } = await findDeployment(environment);
  const { memories } = openCloudStore({ tableName, bucket, keepDays, region });
  return { memories, close: async () => {} };
}

import type { Maintenance } from '../maintenance.ts';
import { forgetLogins } from '../store/logins.ts';
import { createMemoryChores } from '../store/memory-chores.ts';
import { findDeployment } from './cloud-deployment.ts';
import { openCloudStore } from './store/cloud-store.ts';

/**
 * Opens the memories of a deployed environment, with the caller's own credentials.
 * @throws {ConfigError} if there is no such environment
 */
export async function openCloudMaintenance(environment: string): Promise<Maintenance> {
  const { region, tableName, bucketName: bucket, keepDays, issuer = '' } = await findDeployment(environment);
  const { memories, vectors, lasting, runs } = openCloudStore({ tableName, bucket, keepDays, region });
  return {
    memories,
    chores: createMemoryChores(lasting, vectors),
    records: runs,
    forgetSignIns: (owner) => forgetLogins(lasting, owner),
    issuer,
    remains: [
      `runs, for ${keepDays} days after they were last at work`,
      'points in time to which the table can be restored, for 35 days',
      'the names of memories, under a hash of the owner',
      'earlier versions of objects in the bucket, for 30 days, where the environment retains its data',
    ],
    close: async () => {},
  };
}

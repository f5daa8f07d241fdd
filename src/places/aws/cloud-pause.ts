import type { Pause } from '../../core/records/pause.ts';
import { findDeployment } from './cloud-deployment.ts';
import { openCloudStore } from './store/cloud-store.ts';

/**
 * Pauses a deployed environment with the caller's own credentials; without a pause, lets it continue.
 * @returns the pause that was on before: the first one stays
 * @throws {ConfigError} if there is no such environment
 */
export async function setCloudPause(
  environment: string,
  pause: Pause | undefined,
): Promise<Pause | undefined> {
  const { region, tableName, bucketName: bucket, keepDays } = await findDeployment(environment);
  return openCloudStore({ tableName, bucket, keepDays, region }).runs.setPause(pause);
}

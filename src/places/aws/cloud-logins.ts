import { ConfigError } from '../../errors.ts';
import type { Logins } from '../../tools/mcp/ports.ts';
import { createTableLogins } from '../store/logins.ts';
import { createSeal } from '../store/seal.ts';
import { findDeployment } from './cloud-deployment.ts';
import { loginsKey } from './environment-secrets.ts';
import { openCloudStore } from './store/cloud-store.ts';

/**
 * The sign-ins of an environment itself, for a person with credentials of the account.
 * @throws {ConfigError} where there is no such environment, or nobody signs in there
 */
export async function openCloudLogins(environment: string): Promise<Logins> {
  const { region, tableName, bucketName: bucket, keepDays, logins } = await findDeployment(environment);
  if (logins === undefined) {
    throw new ConfigError(
      `no agent of environment "${environment}" has a server with auth = "oauth": deploy one first`,
    );
  }
  const { lasting } = openCloudStore({ tableName, bucket, keepDays, region });
  return createTableLogins({
    table: lasting,
    owner: undefined,
    seal: createSeal(await loginsKey(logins.secretArn, region)),
    howTo: (server) => `cadre mcp login <agent> ${server} --env ${environment}`,
    now: Date.now,
  });
}

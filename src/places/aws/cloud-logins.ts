import type { Table } from '../store/table.ts';
import { createTableLogins } from '../store/logins.ts';
import { createSeal } from '../store/seal.ts';
import type { PendingSignIns, SignIns } from '../sign-ins.ts';
import type { Logins } from '../../tools/mcp/ports.ts';
import { findDeployment } from './cloud-deployment.ts';
import { loginsKey, serverSecrets } from './environment-secrets.ts';
import { functionStore, openCloudStore } from './store/cloud-store.ts';
import { ENVIRONMENT, LOGINS_SECRET, PAGE_URL, required } from './variables.ts';
import { ConfigError } from '../../errors.ts';

/**
 * The sign-ins to servers of an environment, or of an owner of runs in it, for a function of it.
 * @param table whose items do not expire
 */
export async function functionLogins(
  table: Table,
  owner: string | undefined,
): Promise<Logins & PendingSignIns> {
  const page = process.env[PAGE_URL];
  return createTableLogins({
    table,
    owner,
    seal: createSeal(await loginsKey(required(LOGINS_SECRET))),
    howTo: (server) =>
      owner === undefined
        ? `cadre mcp login <agent> ${server} --env ${required(ENVIRONMENT.name)}`
        : `connect an account of yours at ${page ?? 'the page of this environment'}/#/servers`,
    now: Date.now,
  });
}

/** All of them, for the function through which people sign in. Browsers come back to its page, which needs a token. */
export function functionSignIns(): SignIns {
  const { lasting } = functionStore();
  return {
    of: (owner) => functionLogins(lasting, owner),
    secrets: serverSecrets(),
    howToForPlace: `cadre mcp login <agent> <server> --env ${required(ENVIRONMENT.name)}`,
  };
}

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

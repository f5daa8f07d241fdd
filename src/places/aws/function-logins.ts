import type { Table } from '../store/table.ts';
import { createTableLogins } from '../store/logins.ts';
import { createSeal } from '../store/seal.ts';
import type { PendingSignIns, SignIns } from '../sign-ins.ts';
import type { Logins } from '../../tools/mcp/ports.ts';
import { loginsKey, serverSecrets } from './environment-secrets.ts';
import { functionStore } from './store/cloud-store.ts';
import { ENVIRONMENT, LOGINS_SECRET, PAGE_URL, required } from './variables.ts';

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

/** All sign-ins, for the function through which people sign in. Browsers come back to its page, which needs a token. */
export function functionSignIns(): SignIns {
  const { lasting } = functionStore();
  return {
    of: (owner) => functionLogins(lasting, owner),
    secrets: serverSecrets(),
    howToForPlace: `cadre mcp login <agent> <server> --env ${required(ENVIRONMENT.name)}`,
  };
}

import type { OpenToolServers } from '../../tools/mcp/ports.ts';
import type { Table } from '../store/table.ts';
import { createToolServers } from '../tool-servers.ts';
import { serverSecrets } from './environment-secrets.ts';
import { LOGINS_SECRET } from './variables.ts';

/**
 * The servers that deployed agents use, with the secrets of the environment that are for servers, and no others, and with
 * sign-ins where people sign in.
 * @param lasting whose items do not expire
 */
export function functionServers(lasting: Table): OpenToolServers {
  return createToolServers({
    ...serverSecrets(),
    ...(process.env[LOGINS_SECRET] !== undefined && {
      loginsOf: async (owner: string | undefined) =>
        (await import('./function-logins.ts')).functionLogins(lasting, owner),
    }),
    now: Date.now,
  });
}

import { asError } from '../../errors.ts';
import { escapeHidden } from '../../hidden-characters.ts';
import { ENVIRONMENT } from '../../places/aws/variables.ts';
import type { ApiFault, WatchContext } from './context.ts';

/** What all functions that answer people and clients share, from their variables. */
export const HOUSE: Pick<WatchContext, 'adminScopes' | 'issuer' | 'log' | 'now'> = {
  issuer: process.env[ENVIRONMENT.issuer],
  adminScopes: process.env[ENVIRONMENT.adminScopes]?.split(' '),
  now: Date.now,
  log: writeFault,
};

/** Writes what a client does not see, as one line of JSON. */
function writeFault({ id, method, path, thrown }: ApiFault): void {
  const { name, message, stack } = asError(thrown);
  const timestamp = new Date().toISOString();
  process.stdout.write(
    `${escapeHidden(JSON.stringify({ level: 'ERROR', timestamp, id, method, path, name, message, stack }))}\n`,
  );
}

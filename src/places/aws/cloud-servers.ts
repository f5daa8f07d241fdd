import type { OpenToolServers } from '../../tools/mcp/ports.ts';
import { createToolServers } from '../tool-servers.ts';
import { serverSecrets } from './environment-secrets.ts';

/** The servers that deployed agents use, with the secrets of the environment that are for servers, and no others. */
export function functionServers(): OpenToolServers {
  return createToolServers({ ...serverSecrets(), now: Date.now });
}

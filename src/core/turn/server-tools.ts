import type { Instant } from '../records/times.ts';
import { createHash } from 'node:crypto';
import { AgentError, ConfigError } from '../../errors.ts';
import type { ServerTarget } from '../records/call.ts';
import type { Listings } from '../records/ports.ts';
import {
  sentWith,
  signedInAs,
  type Listing,
  type ServerTool,
  type ToolServer,
} from '../records/tool-server.ts';
import type { ServerOffer } from '../tool-contracts/offer.ts';
import type { ToolServers } from '../tool-contracts/tool.ts';
import { defined } from '../../defined.ts';
import { orAborted } from './or-aborted.ts';

export interface ServerPorts {
  store: Listings;
  servers?: Pick<ToolServers, 'list'>;
  /** Aborted when the run is stopped, and its servers are waited for no longer; absent: nobody can tell. */
  signal?: AbortSignal;
  now: () => Instant;
}

/**
 * The tools that an agent's servers offer it. A server is asked only if its last answer has expired, so that a tree of
 * many runs asks it once. What a server offers to a person who has signed in is shown to no other.
 * @param owner whose run it is, as in `ServerCall`
 * @param warn called for each server that is left out, and for each part of an offer that had to be left out
 * @returns with the instructions of servers whose file wants them, as models are shown them; "" for none
 * @throws {ConfigError | AgentError} if a required server cannot be used
 */
export async function offerOfServers(
  servers: readonly ToolServer[],
  owner: string | undefined,
  ports: ServerPorts,
  warn: (message: string) => void,
): Promise<ServerOffer & { instructions: string }> {
  const listings = await Promise.all(
    servers.map(async (server) => ({ server, listing: await listingOf(server, owner, ports, warn) })),
  );
  const offered = listings.flatMap(({ server, listing }) =>
    listing === undefined ? [] : [{ server, listing }],
  );
  return {
    tools: offered.flatMap(({ listing }) => listing.tools.map(({ definition }) => definition)),
    targets: Object.fromEntries(
      offered.flatMap(({ server, listing }) =>
        listing.tools.map((tool) => [tool.definition.name, toTarget(server, tool)]),
      ),
    ),
    servers: Object.fromEntries(offered.map(({ server }) => [server.name, server])),
    instructions: offered
      .flatMap(({ server: { name, instructions }, listing }) =>
        instructions && listing.instructions !== undefined ? [`### ${name}\n${listing.instructions}`] : [],
      )
      .join('\n\n'),
  };
}

async function listingOf(
  server: ToolServer,
  owner: string | undefined,
  { store, servers, signal, now }: ServerPorts,
  warn: (message: string) => void,
): Promise<Listing | undefined> {
  const key = keyOf(server, signedInAs(server, owner));
  const kept = await store.listing(key);
  if (kept !== undefined && kept.until > now()) return kept;
  try {
    if (servers === undefined) throw new AgentError(`server "${server.name}" cannot be reached from here`);
    const asking = servers.list(server, owner);
    const listing = await (signal === undefined ? asking : orAborted(asking, signal));
    await store.saveListing(key, listing);
    listing.notes.forEach(warn);
    return listing;
  } catch (thrown) {
    if (server.required || !(thrown instanceof ConfigError || thrown instanceof AgentError)) throw thrown;
    warn(`${thrown.message}; the agent goes on without its tools`);
    return undefined;
  }
}

/**
 * Identifies a server and the wanted tools. It contains the names of headers and variables, never their values.
 * @param as who has signed in to it; undefined: nobody, or the place
 */
function keyOf(server: ToolServer, as: string | undefined): string {
  const { name, reach, tools, disallowedTools, instructions } = server;
  const where = reach.kind === 'url' ? [reach.url] : [reach.command, reach.args, reach.cwd];
  const sent = Object.keys(sentWith(server)).sort();
  const all = JSON.stringify([name, where, sent, tools, disallowedTools, instructions, ...(as ? [as] : [])]);
  return createHash('sha256').update(all).digest('hex');
}

function toTarget(
  { name: server, timeout, readOnly }: ToolServer,
  { name, mirrored }: ServerTool,
): ServerTarget {
  const reads = readOnly.includes(name);
  return {
    kind: 'mcp',
    server,
    tool: name,
    ...defined({ mirrored }),
    seconds: timeout,
    isRepeatable: reads,
    writes: !reads,
  };
}

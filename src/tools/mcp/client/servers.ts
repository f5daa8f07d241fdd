import * as v from 'valibot';
import { AgentError, messageOf } from '../../../errors.ts';
import type { CallFailure } from '../../../core/records/call.ts';
import { signedInAs, type Listing, type ToolServer } from '../../../core/records/tool-server.ts';
import { UNKNOWN_OUTCOME } from '../../../core/steps/lost-call.ts';
import type { ServerCall, ToolOutput } from '../../../core/tool-contracts/tool.ts';
import type { OpenToolServers, ToolServersOptions } from '../ports.ts';
import { connect, type Connection } from './connect.ts';
import { createListing } from './to-listing.ts';
import { toOutput } from './to-output.ts';
import { cut, fateOf, plain } from './words.ts';
import { defined } from '../../../defined.ts';

/** A page of a server's tools. It is read tool by tool, so that a faulty tool does not affect the others. */
const Page = v.object({
  tools: v.array(v.unknown()),
  nextCursor: v.optional(v.string()),
  /** How long the page may be kept, in the protocol's newer era. */
  ttlMs: v.optional(v.number()),
});

/** A server that says nothing of it is asked again after this. */
const DEFAULT_TTL_MS = 5 * 60_000;
/** One that says more than this is asked again all the same. */
const MAX_TTL_MS = 24 * 60 * 60_000;

/** A list whose pages have no end is read no further than this. */
const MAX_PAGES = 100;

/** How long a server may take over its list, all pages together. */
const LIST_MS = 15_000;

/** Some servers put a whole manual there, and every request to the model carries it. */
const MAX_INSTRUCTIONS_CHARACTERS = 8_000;

/**
 * Opens the servers that agents use: one connection for each, shared by all runs of this process; where people sign in,
 * one for each of them.
 */
export function openServers(options: ToolServersOptions): OpenToolServers {
  const connections = new Map<string, Promise<Connection>>();
  /** The keys of those that persons have signed in to, the oldest first. */
  const persons = new Set<string>();
  const closing = new AbortController();

  function open(server: ToolServer, owner: string | undefined): Promise<Connection> {
    const key = keyOf(server, owner);
    const known = connections.get(key);
    if (known !== undefined) return known;
    const connecting = connect(server, owner, options, closing.signal);
    connections.set(key, connecting);
    if (signedInAs(server, owner) !== undefined) {
      persons.add(key);
      const [oldest = key] = persons;
      if (persons.size > MOST_PERSONS) {
        persons.delete(oldest);
        connections.delete(oldest);
      }
    }
    const forget = () => {
      if (connections.get(key) === connecting) connections.delete(key);
    };
    connecting.then(({ client }) => {
      client.onclose = forget;
    }, forget);
    return connecting;
  }

  function drop(server: ToolServer, owner: string | undefined, connection: Connection): void {
    connections.delete(keyOf(server, owner));
    void connection.close().catch(() => {});
  }

  return {
    list: (server, owner) => withFresh(server, owner, (connection) => listTools(server, connection, options)),
    async call(server, call) {
      const first = await attempt(server, call);
      if ('output' in first) return first.output;
      // Once more, on a new connection: it may have been restarted, or have forgotten us.
      const second = await attempt(server, call);
      return 'output' in second ? second.output : second.failed;
    },
    async close() {
      const all = [...connections.values()];
      connections.clear();
      closing.abort(new Error('it is no longer waited for'));
      await Promise.allSettled(all.map(async (connection) => (await connection).close()));
    },
  };

  /** Makes a request that may be made twice; where a connection that was used before fails, on a new one. */
  async function withFresh(
    server: ToolServer,
    owner: string | undefined,
    work: (connection: Connection) => Promise<Listing>,
  ): Promise<Listing> {
    for (;;) {
      const connection = await open(server, owner);
      const wasUsed = connection.isUsed;
      try {
        connection.isUsed = true;
        return await work(connection);
      } catch (thrown) {
        drop(server, owner, connection);
        if (wasUsed) continue;
        throw new AgentError(
          `server "${server.name}" does not list its tools: ${connection.wordsOf(thrown)}`,
          { cause: thrown },
        );
      }
    }
  }

  /** @returns `failed` where it may be tried once more */
  async function attempt(
    server: ToolServer,
    call: ServerCall,
  ): Promise<{ output: ToolOutput } | { failed: ToolOutput }> {
    const { tool, mirrored, name, owner, signal, isRepeatable } = call;
    let connection: Connection;
    try {
      connection = await open(server, owner);
    } catch (thrown) {
      // Its words are without secrets already.
      return { output: failed(`Error: ${name} failed - ${messageOf(thrown)}`, 'fault') };
    }
    const wasUsed = connection.isUsed;
    const { client, redact } = connection;
    try {
      connection.isUsed = true;
      const asked = { name: tool, arguments: call.arguments };
      // Our own signal comes first: it knows how much of its time the call has left.
      const result = await client.callTool(asked, {
        signal,
        timeout: server.timeout * 1000 + LATER_MS,
        ...(mirrored !== undefined && { toolDefinition: { name: tool, inputSchema: mirrored } }),
      });
      const output = toOutput(result);
      return { output: { ...output, text: redact(output.text) } };
    } catch (thrown) {
      signal.throwIfAborted();
      const fate = fateOf(thrown);
      const why = `Error: ${name} failed - ${connection.wordsOf(thrown)}`;
      if (fate === 'answered') return { output: failed(why) };
      drop(server, owner, connection);
      if (fate === 'refused') {
        const output = failed(why);
        return wasUsed ? { failed: output } : { output };
      }
      if (fate === 'unsent' || isRepeatable) return { failed: failed(why, 'fault') };
      return { output: failed(`${why}. ${UNKNOWN_OUTCOME}`, 'outcome_unknown') };
    }
  }
}

const LATER_MS = 5_000;

/** A function lives for hours and acts for many. A connection that is let go of has nothing open between two requests. */
const MOST_PERSONS = 100;

function keyOf(server: ToolServer, owner: string | undefined): string {
  return JSON.stringify([server.reach, signedInAs(server, owner)]);
}

async function listTools(
  server: ToolServer,
  { client, redact }: Connection,
  { now }: ToolServersOptions,
): Promise<Listing> {
  const listing = createListing(server, redact);
  const signal = AbortSignal.timeout(Math.min(LIST_MS, server.timeout * 1000));
  let ttl = MAX_TTL_MS;
  let cursor: string | undefined;
  if (client.getServerCapabilities()?.tools !== undefined) {
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const { tools, nextCursor, ttlMs } = await client.request({ method: 'tools/list', ...params }, Page, {
        signal,
      });
      // Servers that do not set it send 0.
      ttl = Math.min(ttl, ttlMs || DEFAULT_TTL_MS);
      cursor = nextCursor;
      if (!listing.add(tools) || cursor === undefined) break;
    }
  }
  const { tools, notes } = listing.result();
  const instructions = redact(plain(client.getInstructions() ?? '')).trim();
  if (instructions.length > MAX_INSTRUCTIONS_CHARACTERS && server.instructions)
    notes.push(
      `server "${server.name}" has instructions of more than ${MAX_INSTRUCTIONS_CHARACTERS} characters, which are cut`,
    );
  return {
    tools,
    ...(instructions !== '' && { instructions: cut(instructions, MAX_INSTRUCTIONS_CHARACTERS) }),
    notes: notes.map(redact),
    until: now() + ttl,
  };
}

/** @param failure absent where the server has refused the call */
function failed(text: string, failure?: CallFailure): ToolOutput {
  return { text, isError: true, ...defined({ failure }) };
}

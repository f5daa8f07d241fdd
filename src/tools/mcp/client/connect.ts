import { resolve } from 'node:path';
import { Client, ProtocolError, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { AgentError, ConfigError } from '../../../errors.ts';
import { serverTarget } from '../../../core/agent-schema/targets.ts';
import { cleanEnvironment } from '../../reach/clean-environment.ts';
import { fillIn } from '../../../core/records/secrets.ts';
import { orAborted } from '../../../core/turn/or-aborted.ts';
import { sentWith, type ToolServer } from '../../../core/records/tool-server.ts';
import type { ToolServersOptions } from '../ports.ts';
import { authorizedBy, tokensOf, type TokenProvider } from './authorization.ts';
import { HttpTransport } from './http-transport.ts';
import { StdioTransport } from './stdio-transport.ts';
import { oneLine, plain, wordsOf } from './words.ts';

/** A server that is ready to be asked. */
export interface Connection {
  client: Client;
  /** A text from the server without the secrets that it was given. */
  redact(text: string): string;
  /** Why it gave no answer, or not the one that was asked for. */
  wordsOf(thrown: unknown): string;
  /** Whether it has answered anything but the greeting. */
  isUsed: boolean;
  close(): Promise<void>;
}

/** How long a server may take to be ready. A command may have to be fetched before it runs (npx). */
const GREETING_MS = { url: 15_000, command: 60_000 };

/** The last words of a command on stderr: mostly short, and the last line says why it ended. */
const MAX_STDERR_CHARACTERS = 500;

/**
 * Reaches a server and greets it, in whichever of the protocol's two eras it speaks: with `initialize` up to 2025, by
 * requests that stand for themselves since. Over HTTP the newer one is tried first, which costs the other kind one
 * request. A command is greeted in the older one first, since many of that kind end when they are asked anything else.
 * @param owner whose account it is reached with, where people sign in to it; undefined: that of the place
 * @param unwanted aborted when nobody waits for it any more: what was started by then is ended
 * @throws {ConfigError | AgentError} why it cannot be had, in words
 */
export async function connect(
  server: ToolServer,
  owner: string | undefined,
  options: ToolServersOptions,
  unwanted: AbortSignal,
): Promise<Connection> {
  if (server.reach.kind === 'command') await options.machine?.assertMayStart(serverTarget(server));
  const { sent, redact } = await fillIn(sentWith(server), `server "${server.name}"`, options);
  const authorized = await authorizedBy(server, options);
  const redactAll = (text: string) => redact(authorized?.redact(text) ?? text);
  const provider = authorized && tokensOf(authorized.of, await options.loginsOf?.(owner));
  const open = (mode: VersionNegotiationMode) =>
    greet(server, { sent, provider }, mode, redactAll, options, unwanted);
  if (server.reach.kind === 'url') return open('auto');
  try {
    return await open('legacy');
  } catch (thrown) {
    // It is there, and does not speak the older one.
    if (!(thrown instanceof AgentError && thrown.cause instanceof ProtocolError)) throw thrown;
    return open('auto');
  }
}

async function greet(
  server: ToolServer,
  given: Given,
  mode: VersionNegotiationMode,
  redact: Connection['redact'],
  { machine }: ToolServersOptions,
  unwanted: AbortSignal,
): Promise<Connection> {
  unwanted.throwIfAborted();
  const transport = createTransport(server, given, machine);
  const client = new Client(
    { name: 'cadre', version: '1' },
    {
      versionNegotiation: { mode },
      // No person can answer a server's question in the middle of a call.
      inputRequired: { autoFulfill: false },
    },
  );
  const close = () => client.close();
  const command = transport instanceof StdioTransport ? transport : undefined;
  // The client knows only that there is no connection any more.
  const words = (thrown: unknown) => wordsOf(command?.fault ?? thrown, redact);
  try {
    const timeout = Math.min(GREETING_MS[server.reach.kind], server.timeout * 1000);
    // Each request has its time, but not the note that a server is sent last, which it may hold on to.
    const greeting = orAborted(client.connect(transport, { timeout }), AbortSignal.timeout(timeout));
    await orAborted(greeting, unwanted);
    return { client, redact, wordsOf: words, isUsed: false, close };
  } catch (thrown) {
    await transport.close();
    const stderr = redact(plain(command?.stderr ?? ''));
    const said = oneLine(stderr.slice(-MAX_STDERR_CHARACTERS), MAX_STDERR_CHARACTERS);
    const why = words(thrown) + (said === '' ? '' : `; it said: ${said}`);
    throw new AgentError(`server "${server.name}" does not answer: ${why}`, { cause: thrown });
  }
}

/** What a server is sent to let the agent in. */
interface Given {
  sent: Record<string, string>;
  provider: TokenProvider | undefined;
}

function createTransport(
  { name, reach }: ToolServer,
  { sent, provider }: Given,
  machine: ToolServersOptions['machine'],
) {
  if (reach.kind === 'url') return new HttpTransport(reach.url, sent, provider);
  if (machine === undefined) {
    throw new ConfigError(
      `server "${name}" is a command, and commands run on your own machine only: give it a url`,
    );
  }
  return new StdioTransport(reach.command, reach.args, {
    cwd: resolve(machine.cwd, reach.cwd),
    env: { ...cleanEnvironment(machine.env), ...sent },
  });
}

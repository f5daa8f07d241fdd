import { spawn } from 'node:child_process';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import type { Secrets } from '../../../core/records/secrets.ts';
import { takesSignIn, type ToolServer } from '../../../core/records/tool-server.ts';
import { localSources } from '../../../authoring/loading/local-sources.ts';
import { findProgram } from '../../../places/local/workspace/find-program.ts';
import type { Logins } from '../../../tools/mcp/ports.ts';
import { ConfigError } from '../../../errors.ts';
import { hintAt } from '../../../nearest.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { serverText } from '../terminal/server-text.ts';

export interface McpLoginOptions {
  agentsDir?: string;
  /** A deployed environment, whose own sign-in it is to be. */
  env?: string;
}

/**
 * `cadre mcp login <agent> [server]`: signs the user in to a server of the agent, or to all that require it, in a
 * browser.
 * @returns the exit code
 * @throws {ConfigError | AgentError} if the sign-in fails
 */
export async function mcpLogin(
  name: string,
  server: string | undefined,
  options: McpLoginOptions,
  io: RunIo,
): Promise<number> {
  const { servers, secrets, logins } = await signInsOf(name, server, options, io);
  const { signInHere } = await import('../../../tools/mcp/client/sign-in-here.ts');
  for (const wanted of servers) {
    await signInHere(wanted, {
      ...secrets,
      logins,
      signal: io.interrupted,
      show: (url) => show(url, io),
    });
    io.stdout(`signed in to ${serverText(wanted)}\n`);
  }
  return EXIT.success;
}

/**
 * `cadre mcp logout <agent> [server]`: forgets the sign-in to a server of the agent, or to all that take one, and has
 * the tokens revoked by their issuer.
 * @returns the exit code
 * @throws {ConfigError} if there is no such server
 */
export async function mcpLogout(
  name: string,
  server: string | undefined,
  options: McpLoginOptions,
  io: RunIo,
): Promise<number> {
  const { servers, secrets, logins } = await signInsOf(name, server, options, io);
  const { signOut } = await import('../../../tools/mcp/client/sign-out.ts');
  for (const wanted of servers) {
    const { wasSignedIn, notRevoked } = await signOut(wanted, secrets, logins);
    const text = serverText(wanted);
    io.stdout(wasSignedIn ? `signed out of ${text}\n` : `not signed in to ${text}\n`);
    if (notRevoked !== undefined) io.stderr(`Warning: its tokens stay valid until they end: ${notRevoked}\n`);
  }
  return EXIT.success;
}

/** The servers that are meant, and where the sign-ins to them are kept. */
async function signInsOf(
  name: string,
  server: string | undefined,
  { agentsDir, env }: McpLoginOptions,
  io: RunIo,
): Promise<{ servers: ToolServer[]; secrets: Secrets; logins: Logins }> {
  const { source, logins, secrets } = await localSources(io, agentsDir);
  const keptIn = env === undefined ? logins : await loginsOf(env);
  const { agent } = await loadAgent(name, source);
  return { servers: chosen(name, agent.mcpServers, server), secrets, logins: keptIn };
}

/** Loaded with the SDK, which takes long. */
async function loginsOf(environment: string): Promise<Logins> {
  const { openCloudLogins } = await import('../../../places/aws/cloud-logins.ts');
  return openCloudLogins(environment);
}

function chosen(agent: string, servers: readonly ToolServer[], name: string | undefined): ToolServer[] {
  const open = servers.filter(takesSignIn);
  if (name === undefined && open.length > 0) return open;
  if (name === undefined) {
    throw new ConfigError(`no server of agent "${agent}" has auth = "oauth": there is nothing to sign in to`);
  }
  const server = servers.find((each) => each.name === name);
  if (server !== undefined) return [server];
  const names = servers.map((each) => each.name);
  throw new ConfigError(`agent "${agent}" has no server ${JSON.stringify(name)}${hintAt(name, names)}`);
}

/** What opens an address in the browser. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };

/** Prints the address in any case: the browser may be on another machine, or there may be none. */
function show(url: string, io: RunIo): void {
  io.stderr(`Sign in at: ${url}\n`);
  const opener = io.terminal === undefined ? undefined : OPENERS[process.platform];
  const program = opener && findProgram(opener, io.env['PATH'] ?? '', io.cwd);
  if (program === undefined) return;
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

import type { Seconds } from './times.ts';
import type { ToolDefinition, ToolParameters } from './message.ts';

/**
 * A tool server that an agent uses (Model Context Protocol, modelcontextprotocol.io), as the agent's file describes it.
 * `${NAME}` in a header or a variable stands for a secret, which is filled in when the server is reached and never
 * stored.
 */
export interface ToolServer {
  name: string;
  /** A URL, or a command that is started on this machine. */
  reach: ServerUrl | ServerCommand;
  /** The tools that are wanted, by the server's own names; empty: all. */
  tools: string[];
  disallowedTools: string[];
  /** The tools whose calls change nothing. The server's own claims about that are not trusted. */
  readOnly: string[];
  /** The most seconds that one call may take. */
  timeout: Seconds;
  /** Whether a run fails if the server does not answer. */
  required: boolean;
  /** Whether the server's own instructions become part of the system prompt; absent: no. */
  instructions?: true;
}

export interface ServerUrl {
  kind: 'url';
  /** `a2a`: it is a remote agent, which speaks Agent2Agent; absent: a server of tools. */
  protocol?: 'a2a';
  url: string;
  headers: Record<string, string>;
  /** How a token for it is had; absent: it takes none, or one of the headers has it. */
  auth?: ServerAuth;
}

/** How a token for a server is had (OAuth 2.1). */
export interface ServerAuth {
  /** `oauth`: a person signs in, once; `client_credentials`: the client is known by itself. */
  kind: 'oauth' | 'client_credentials';
  /** The client's id, where it is registered; absent: it registers itself. */
  clientId?: string;
  /** In which `${NAME}` stands for a secret. */
  clientSecret?: string;
  /** The authorization server that the secret is for; absent: the one that the server names. */
  issuer?: string;
  /** With spaces between them; absent: those that the server asks for. */
  scope?: string;
}

export interface ServerCommand {
  kind: 'command';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Relative to where cadre runs; "": that folder. */
  cwd: string;
}

/** @param tool the server's own name for it */
export function isWanted(tool: string, { tools, disallowedTools }: ToolServer): boolean {
  return (tools.length === 0 || tools.includes(tool)) && !disallowedTools.includes(tool);
}

/** A tool of a server, as it is offered to an agent. */
export interface ServerTool {
  definition: ToolDefinition;
  /** The server's own name for it. */
  name: string;
  /** The parameters that the server also wants as headers; absent: none. */
  mirrored?: ToolParameters;
}

/** The offer of a server when it was asked, without the parts that an agent's file leaves out. */
export interface Listing {
  tools: ServerTool[];
  /** The server's advice on its use, for models; absent: none. */
  instructions?: string;
  /** The changes and omissions, in sentences. */
  notes: string[];
  /** Until when it need not be asked again, in milliseconds since 1970. */
  until: number;
}

/** The owner of a run, where it matters to the server whose run it is: where each person signs in. */
export function signedInAs(
  { reach }: Pick<ToolServer, 'reach'>,
  owner: string | undefined,
): string | undefined {
  return takesSignIn({ reach }) ? owner : undefined;
}

/** The address of a server; "" of one that is a command. */
export function addressOf({ reach }: Pick<ToolServer, 'reach'>): string {
  return reach.kind === 'url' ? reach.url : '';
}

/** Whether people sign in to a server. */
export function takesSignIn({ reach }: Pick<ToolServer, 'reach'>): boolean {
  return reach.kind === 'url' && reach.auth?.kind === 'oauth';
}

/** What a server's token is had with that may be secret, by its key in the agent's file. */
export function authSecrets({ reach }: Pick<ToolServer, 'reach'>): Record<string, string> {
  const secret = reach.kind === 'url' ? reach.auth?.clientSecret : undefined;
  return secret === undefined ? {} : { client_secret: secret };
}

/** The part of a server's description that may refer to secrets: its headers or its variables. */
export function sentWith({ reach }: Pick<ToolServer, 'reach'>): Record<string, string> {
  return reach.kind === 'url' ? reach.headers : reach.env;
}

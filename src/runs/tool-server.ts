import type { ToolDefinition, ToolParameters } from './message.ts';

/**
 * A server of tools that an agent uses (Model Context Protocol, modelcontextprotocol.io), as the agent's file has it.
 * `${NAME}` in a header or a variable stands for a secret, which is put in when the server is reached and kept nowhere.
 */
export interface ToolServer {
  name: string;
  /** A URL, or a command that is started on this machine. */
  reach: ServerUrl | ServerCommand;
  /** The names of the tools that are wanted of it, in its own words; empty: all. */
  tools: string[];
  disallowedTools: string[];
  /** The tools whose calls change nothing. What the server itself says of that is not trusted. */
  readOnly: string[];
  /** The most seconds that one call may take. */
  timeout: number;
  /** Whether a run fails where the server does not answer. */
  required: boolean;
}

export interface ServerUrl {
  kind: 'url';
  url: string;
  headers: Record<string, string>;
}

export interface ServerCommand {
  kind: 'command';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Relative to where the command runs; "": there itself. */
  cwd: string;
}

/** A tool of a server, as an agent is offered it. */
export interface ServerTool {
  definition: ToolDefinition;
  /** The server's own name for it. */
  name: string;
  /** Of its parameters, those that the server wants as headers too; absent: none. */
  mirrored?: ToolParameters;
}

/** What a server offered when it was asked, less what an agent's file leaves out. */
export interface Listing {
  tools: ServerTool[];
  /** What had to be changed or left out, in sentences. */
  notes: string[];
  /** Until when it need not be asked again, in milliseconds since 1970. */
  until: number;
}

/** The secrets that texts ask for with `${NAME}`, each once. */
export function secretsNamed(texts: Iterable<string>): string[] {
  return [...new Set([...texts].flatMap((text) => [...text.matchAll(SECRET)].map(([, name = '']) => name)))];
}

/** A text with each `${NAME}` replaced by what it stands for. */
export function withSecrets(text: string, secret: (name: string) => string): string {
  return text.replace(SECRET, (_, name: string) => secret(name));
}

const SECRET = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** What a server is reached with that may name secrets: its headers, or its variables. */
export function sentWith({ reach }: Pick<ToolServer, 'reach'>): Record<string, string> {
  return reach.kind === 'url' ? reach.headers : reach.env;
}

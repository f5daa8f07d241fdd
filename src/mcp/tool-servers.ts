import type { ToolServers } from '../tools/tool.ts';

export interface ToolServersOptions {
  /**
   * What `${NAME}` stands for in a header or a variable; undefined where there is no such secret.
   * @throws {ConfigError | StoreError} if secrets cannot be read
   */
  secret(name: string): Promise<string | undefined>;
  /** What to do about a secret that is missing, in words: `set DOCS_TOKEN in the environment`. */
  howToGive(name: string): string;
  /** Where commands may be started; undefined in an account. */
  machine?: {
    /** Absolute. */
    cwd: string;
    /** Of this process. */
    env: Readonly<Record<string, string | undefined>>;
  };
  now(): number;
}

export interface OpenToolServers extends ToolServers {
  /** Ends the servers that were started, and lets go of the others. */
  close(): Promise<void>;
}

/** The servers that agents use. The protocol's client takes long to load, and is loaded when one of them is used. */
export function createToolServers(options: ToolServersOptions): OpenToolServers {
  let opened: Promise<OpenToolServers> | undefined;
  const open = () =>
    (opened ??= import('./client/servers.ts').then(({ openServers }) => openServers(options)));
  return {
    list: async (server) => (await open()).list(server),
    call: async (server, call) => (await open()).call(server, call),
    close: async () => (await opened)?.close(),
  };
}

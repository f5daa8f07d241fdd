import type { ToolServers } from '../tools/tool.ts';

/** What the servers of agents are reached with. */
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

import type { Instant } from '../../core/records/times.ts';
import type { Secrets } from '../../core/records/secrets.ts';
import type { Target } from '../../core/agent-schema/targets.ts';
import type { ToolServers } from '../../core/tool-contracts/tool.ts';

/** The means to reach agents' servers. */
export interface ToolServersOptions extends Secrets {
  /** Where commands may be started; undefined in an account. */
  machine?: {
    /** Absolute. */
    cwd: string;
    /** Of this process. */
    env: Readonly<Record<string, string | undefined>>;
    /** @throws {ConfigError} unless the command of a server may be started */
    assertMayStart(command: Target): Promise<void>;
  };
  now(): Instant;
}

export interface OpenToolServers extends ToolServers {
  /** Ends the servers that were started, and lets go of the others. */
  close(): Promise<void>;
}

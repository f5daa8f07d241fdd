import type { Instant } from '../../core/records/times.ts';
import type { Secrets } from '../../core/records/secrets.ts';
import type { Target } from '../../core/agent-schema/targets.ts';
import type { ToolServers } from '../../core/tool-contracts/tool.ts';

/** A person's sign-in to a server: what the protocol's package has to keep of it, as JSON, and nothing that is shown. */
export interface Login {
  client?: unknown;
  tokens?: unknown;
}

/** The sign-ins of the person whose machine it is, kept outside of projects and stores. */
export interface Logins {
  /** @param url of the server @returns undefined where nobody has signed in */
  read(url: string): Promise<Login | undefined>;
  /** Changes one while no other process does. @param change is given it as it is then; `undefined` leaves it */
  update(url: string, change: (login: Login | undefined) => Promise<Login | undefined>): Promise<void>;
}

/** The means to reach agents' servers. */
export interface ToolServersOptions extends Secrets {
  /** Absent: nobody signs in here. */
  logins?: Logins;
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

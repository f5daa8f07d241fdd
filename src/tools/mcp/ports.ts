import type { Instant } from '../../core/records/times.ts';
import type { Secrets } from '../../core/records/secrets.ts';
import type { Target } from '../../core/agent-schema/targets.ts';
import type { ToolServers } from '../../core/tool-contracts/tool.ts';

/** A person's sign-in to a server: what the protocol's package has to keep of it, as JSON, and nothing that is shown. */
export interface Login {
  client?: unknown;
  tokens?: unknown;
  /** The scopes that the server has wanted beyond those of the tokens, with spaces between; absent: none. */
  lacks?: string;
}

/** A sign-in until the person comes back. Nobody but the one who began it may see it. */
export interface BegunSignIn {
  /** What the person comes back with. */
  state: string;
  /** Where to. */
  redirectUrl: string;
  /** Where the client's metadata are, for authorization servers that read them there; absent: nowhere. */
  clientMetadataUrl?: string;
  /** Of PKCE. */
  verifier: string;
  /** The authorization server and the client, as the protocol's package has found and registered them. */
  discovered?: unknown;
  client?: unknown;
}

/** The sign-ins to servers of one account: of the person whose machine it is, of an environment, or of an owner of runs. */
export interface Logins {
  /** @param url of the server @returns undefined where nobody has signed in */
  read(url: string): Promise<Login | undefined>;
  /** Changes one while no other process does. @param change is given it as it is then; `undefined` leaves it */
  update(url: string, change: (login: Login | undefined) => Promise<Login | undefined>): Promise<void>;
  remove(url: string): Promise<void>;
  /** What a person does to sign in, in words: `cadre mcp login <agent> docs`. @param server its name */
  howTo(server: string): string;
}

/** The means to reach agents' servers. */
export interface ToolServersOptions extends Secrets {
  /**
   * The sign-ins of an owner of runs, as `ownerKey` has them; undefined: of the place.
   * @returns undefined for one who cannot sign in here; absent: nobody can
   */
  loginsOf?: (owner: string | undefined) => Promise<Logins | undefined>;
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

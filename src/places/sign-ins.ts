import type { Secrets } from '../core/records/secrets.ts';
import type { BegunSignIn, Logins } from '../tools/mcp/ports.ts';

/** Sign-ins of people who have not come back yet, each kept for ten minutes and for whoever began it. */
export interface PendingSignIns {
  /** @param url of the server that it is for */
  keep(url: string, begun: BegunSignIn): Promise<void>;
  /** @returns the sign-in that was begun with this state, once; undefined if this owner has none */
  take(state: string): Promise<{ url: string; begun: BegunSignIn } | undefined>;
}

/** Where people sign in to the servers of agents, for a door that a browser comes back to. */
export interface SignIns {
  /**
   * Those of an owner of runs, as `ownerKey` has them; undefined: of the place.
   * @returns undefined if there are none
   */
  of(owner: string | undefined): Promise<(Logins & PendingSignIns) | undefined>;
  /** What clients of servers are known by. */
  secrets: Secrets;
  /** How to sign in for the place where no browser can come back, in words. Absent: it can. */
  howToForPlace?: string;
}

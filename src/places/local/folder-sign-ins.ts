import type { Secrets } from '../../core/records/secrets.ts';
import type { BegunSignIn, Logins } from '../../tools/mcp/ports.ts';
import type { SignIns } from '../sign-ins.ts';

/** How long a person may take, as in an account. */
const BEGUN_MS = 10 * 60_000;

/** The sign-ins of whoever serves a folder, who is its only person; those that were begun are this process's. */
export function folderSignIns(logins: Logins, secrets: Secrets, now: () => number): SignIns {
  const begun = new Map<string, { url: string; begun: BegunSignIn; until: number }>();
  const own = {
    ...logins,
    async keep(url: string, one: BegunSignIn) {
      for (const [state, { until }] of begun) if (until <= now()) begun.delete(state);
      begun.set(one.state, { url, begun: one, until: now() + BEGUN_MS });
    },
    async take(state: string) {
      const taken = begun.get(state);
      begun.delete(state);
      return taken !== undefined && taken.until > now() ? taken : undefined;
    },
  };
  return { secrets, of: async (owner) => (owner === undefined ? own : undefined) };
}

import { useEffect, useReducer } from 'preact/hooks';
import { renewSession } from '../client/renew-session.ts';
import { onSession, storedSession } from '../client/session.ts';
import type { PageSession } from '../client/sign-in.ts';

/** How long before its end a session is renewed, and how long before it the person is told that it cannot be. */
const RENEW_MS = 60_000;
const TELL_MS = 300_000;

/** The session of this tab. It is renewed in time where the issuer permits that. */
export function useSession(): PageSession | undefined {
  const [, update] = useReducer((count: number) => count + 1, 0);
  useEffect(() => onSession(() => update(undefined)), []);
  const session = storedSession();
  const { refresh, endsAt } = session ?? {};
  useEffect(() => {
    if (endsAt === undefined) return;
    const before = refresh === undefined ? TELL_MS : RENEW_MS;
    const timer = setTimeout(
      () => (refresh === undefined ? update(undefined) : void renewSession()),
      Math.max(0, endsAt - before - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [refresh, endsAt]);
  return session;
}

/** Whether a session is about to end, and only the person can renew it. */
export function endsSoon({ refresh, endsAt }: PageSession): boolean {
  return refresh === undefined && endsAt !== undefined && endsAt - Date.now() <= TELL_MS;
}

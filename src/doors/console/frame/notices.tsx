import { useEffect, useState } from 'preact/hooks';
import { onConnection, tellConnected } from '../client/api.ts';
import type { PageSession } from '../client/sign-in.ts';
import { endsSoon } from './use-session.ts';

export interface NoticesProps {
  session: PageSession | undefined;
  /** Whether the server has refused it, and the person has not signed in again yet. */
  hasEnded: boolean;
  onSignIn: () => void;
}

/** What concerns the whole page: a server that does not answer, and a sign-in that is about to end. */
export function Notices({ session, hasEnded, onSignIn }: NoticesProps) {
  const [isConnected, setIsConnected] = useState(navigator.onLine);
  useEffect(() => {
    const leave = onConnection(setIsConnected);
    // Before a request notices.
    const onOffline = () => tellConnected(false);
    addEventListener('offline', onOffline);
    return () => {
      leave();
      removeEventListener('offline', onOffline);
    };
  }, []);
  const isEnding = session !== undefined && endsSoon(session);
  return (
    <div class="frame-notices" role="status">
      {!isConnected && (
        <p class="frame-notice">
          The server does not answer. What you see may be old; the page goes on as soon as it is back.
        </p>
      )}
      {(hasEnded || isEnding) && (
        <p class="frame-notice">
          {hasEnded ? 'Your sign-in has ended.' : `Your sign-in ends at ${shortTime(session?.endsAt ?? 0)}.`}{' '}
          <button type="button" onClick={onSignIn}>
            Sign in again
          </button>
        </p>
      )}
    </div>
  );
}

function shortTime(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: 'short' });
}

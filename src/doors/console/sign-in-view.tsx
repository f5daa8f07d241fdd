import { useEffect, useState } from 'preact/hooks';
import type { PageSignIn } from '../api/page.ts';
import { storedToken } from './client/token.ts';
import { beginSignIn, signInSettings } from './sign-in.ts';
import { tab } from './tab.ts';
import { TokenForm } from './token-form.tsx';

/**
 * Lets the person in: by the issuer where the API takes its tokens, else by the token of the server.
 * @param fault why a sign-in that was begun has failed; absent: none was
 */
export function SignInView({ fault, onGiven }: { fault: string | undefined; onGiven: () => void }) {
  const [settings, setSettings] = useState<PageSignIn | 'none'>();
  useEffect(() => void signInSettings(tab).then((given) => setSettings(given ?? 'none')), []);
  // Only at first: a token that is not accepted would be fetched again and again, and a text being written lost.
  const leaves = fault === undefined && storedToken() === undefined;
  useEffect(() => {
    if (leaves && settings !== undefined && settings !== 'none') void beginSignIn(tab, settings);
  }, [settings]);
  if (settings === 'none') return <TokenForm onGiven={onGiven} />;
  if (settings === undefined || leaves) return <p role="status">Signing in…</p>;
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        void beginSignIn(tab, settings);
      }}
    >
      <h1>Sign in</h1>
      <p role="alert">
        {fault === undefined
          ? 'Your sign-in has expired, or the server does not accept it.'
          : `You are not signed in: ${fault}.`}
      </p>
      <button type="submit">Sign in</button>
    </form>
  );
}

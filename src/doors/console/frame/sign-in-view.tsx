import { useEffect, useState } from 'preact/hooks';
import type { PageSignIn } from '../../api/page.ts';
import { isSignedOut, storedSession, storeSession } from '../client/session.ts';
import { beginSignIn, signInSettings } from '../client/sign-in.ts';
import { tab } from '../client/tab.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { submitting } from '../shared/submitting.ts';
import { useAction } from '../shared/use-action.ts';
import { signInBeside } from './sign-in-beside.ts';
import { TokenForm } from './token-form.tsx';

export interface SignInViewProps {
  /** Why a sign-in that was begun has failed; absent: none was. */
  fault?: string | undefined;
  /** Whether the view stays as it is meanwhile, with everything that is being written in it. */
  isBeside: boolean;
  onGiven: () => void;
}

/** Lets the person in: by the issuer where the API takes its tokens, else by the token of the server. */
export function SignInView({ fault, isBeside, onGiven }: SignInViewProps) {
  const [settings, setSettings] = useState<PageSignIn | 'none'>();
  useEffect(() => void signInSettings(tab).then((given) => setSettings(given ?? 'none')), []);
  // Only at first: a token that is not accepted would be fetched again and again, and a text being written lost.
  const leaves = fault === undefined && storedSession() === undefined && !isSignedOut() && !isBeside;
  useEffect(() => {
    if (leaves && settings !== undefined && settings !== 'none') void beginSignIn(tab, settings);
  }, [settings]);
  const signingIn = useAction(async (at: PageSignIn) => {
    if (!isBeside) return beginSignIn(tab, at);
    storeSession(await signInBeside(at));
    onGiven();
  });
  if (settings === 'none') return <TokenForm onGiven={onGiven} />;
  if (settings === undefined || leaves) return <p role="status">Signing in…</p>;
  return (
    <form class="token" onSubmit={submitting(() => signingIn.run(settings))}>
      {!isBeside && <h1>Sign in</h1>}
      <p role="alert">
        {fault !== undefined
          ? `You are not signed in: ${fault}.`
          : isSignedOut()
            ? 'You are signed out.'
            : 'Your sign-in has expired, or the server does not accept it.'}
      </p>
      {isBeside && <p>The issuer opens in a window of its own. Everything here stays as it is.</p>}
      <button type="submit" class="main" aria-disabled={signingIn.isBusy}>
        Sign in
      </button>
      <ProblemText text={signingIn.error} />
    </form>
  );
}

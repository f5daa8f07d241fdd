import { storedSession, storeSession } from '../client/session.ts';
import { submitting } from '../shared/submitting.ts';

/** Asks for the token that the server demands. */
export function TokenForm({ onGiven }: { onGiven: () => void }) {
  const submit = (form: HTMLFormElement) => {
    const token = new FormData(form).get('token');
    if (typeof token !== 'string') return;
    storeSession({ token: token.trim() });
    onGiven();
  };
  return (
    <form class="token" onSubmit={submitting(submit)}>
      <h1>This server asks for a token</h1>
      {storedSession() !== undefined && (
        <p role="alert" class="problem">
          The server does not accept the token that you gave.
        </p>
      )}
      <label>
        Token
        <input name="token" type="password" required autocomplete="off" />
      </label>
      <p>
        It is <code>CADRE_TOKEN</code> of the server or, without one, what <code>cadre serve</code> printed
        when it started.
      </p>
      <button type="submit">Continue</button>
    </form>
  );
}

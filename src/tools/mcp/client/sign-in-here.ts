import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Secrets } from '../../../core/records/secrets.ts';
import { addressOf, type ToolServer } from '../../../core/records/tool-server.ts';
import type { Logins } from '../ports.ts';
import { beginSignIn, completeSignIn, type CameBack } from './sign-in.ts';

/** Where the browser comes back to, on a port of this machine that is free. */
const CALLBACK_PATH = '/oauth/callback';

export interface SignInOptions extends Secrets {
  /** Where the tokens are kept. */
  logins: Logins;
  /** Leads the person to where they sign in. */
  show(url: string): void;
  /** Aborted when the person has had enough. */
  signal: AbortSignal;
}

/**
 * Has a person sign in to a server in a browser that comes back to a port of this machine. The tokens are shown nowhere.
 * @throws {ConfigError | AgentError} why that did not come to an end
 */
export async function signInHere(server: ToolServer, options: SignInOptions): Promise<void> {
  const { logins, show, signal } = options;
  const callback = createServer();
  callback.listen(0, '127.0.0.1');
  await once(callback, 'listening');
  const address = callback.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  try {
    const url = addressOf(server);
    const redirectUrl = `http://127.0.0.1:${port}${CALLBACK_PATH}`;
    const { url: address, begun } = await beginSignIn(server, options, await logins.read(url), {
      redirectUrl,
    });
    const cameBack = comesBack(callback, begun.state, signal);
    show(address);
    const login = await completeSignIn(server, options, begun, await cameBack);
    await logins.update(url, async () => login);
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  } finally {
    callback.close();
    callback.closeAllConnections();
  }
}

/** Waits for the person's browser. A request with another state is not theirs, and changes nothing. */
function comesBack(
  callback: ReturnType<typeof createServer>,
  state: string,
  signal: AbortSignal,
): Promise<CameBack> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    callback.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? '';
      const url = URL.canParse(path, 'http://127.0.0.1') ? new URL(path, 'http://127.0.0.1') : undefined;
      if (url?.pathname !== CALLBACK_PATH || url.searchParams.get('state') !== state) {
        response.writeHead(404).end();
        return;
      }
      const { code, ...others }: CameBack = Object.fromEntries(url.searchParams);
      const words =
        code === undefined
          ? 'You are not signed in. See the terminal.'
          : 'You are signed in. You can close this page.';
      response
        .writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
        .end(words);
      resolve({ code, ...others });
    });
  });
}

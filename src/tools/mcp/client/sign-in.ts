import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { auth } from '@modelcontextprotocol/client';
import { isOnThisMachine } from '../../../core/agent-schema/server-schema.ts';
import { AgentError, ConfigError } from '../../../errors.ts';
import type { ToolServer } from '../../../core/records/tool-server.ts';
import type { ToolServersOptions } from '../ports.ts';
import { authFetch, authorizedBy } from './authorization.ts';
import { toProvider } from './login-provider.ts';
import { oneLine, wordsOf } from './words.ts';

export interface SignInOptions extends ToolServersOptions {
  /** Leads the person to where they sign in. */
  show(url: string): void;
  /** Aborted when the person has had enough. */
  signal: AbortSignal;
}

/** Where the browser comes back to, on a port of this machine that is free. */
const CALLBACK_PATH = '/oauth/callback';

const MAX_REASON = 500;

/**
 * Has a person sign in to a server: with PKCE, by a client that registers itself if it has to. The tokens are kept with the
 * sign-ins, and shown nowhere.
 * @throws {ConfigError | AgentError} why that did not come to an end
 */
export async function signIn(server: ToolServer, options: SignInOptions): Promise<void> {
  const { logins, show, signal } = options;
  const authorized = await authorizedBy(server, options);
  if (authorized?.of.auth.kind !== 'oauth' || logins === undefined) {
    throw new ConfigError(`server "${server.name}" has no auth = "oauth": nobody signs in to it`);
  }
  const { of, redact } = authorized;
  const callback = createServer();
  callback.listen(0, '127.0.0.1');
  await once(callback, 'listening');
  const address = callback.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  const redirectUrl = `http://127.0.0.1:${port}${CALLBACK_PATH}`;
  try {
    const { provider, login, state } = toProvider({}, of, {
      redirectUrl,
      redirect(url) {
        const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url));
        if (!isSafe)
          throw new AgentError(`it leads to ${url.protocol}//${url.host}, where nobody should sign in`);
        show(url.href);
      },
    });
    const serverUrl = of.url;
    const answer = answered(callback, state, signal);
    // It is awaited below, and may fail before.
    answer.catch(() => {});
    if ((await auth(provider, { serverUrl, fetchFn: authFetch() })) !== 'AUTHORIZED') {
      const { code: authorizationCode, iss } = await answer;
      const found = { serverUrl, authorizationCode, fetchFn: authFetch() };
      await auth(provider, { ...found, ...(iss !== null && { iss }) });
    }
    await logins.update(of.url, async () => login());
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof AgentError) throw thrown;
    throw new AgentError(`cannot sign in to server "${server.name}": ${wordsOf(thrown, redact)}`, {
      cause: thrown,
    });
  } finally {
    callback.close();
    callback.closeAllConnections();
  }
}

interface Answered {
  code: string;
  /** The issuer that says that it is from it; null where it does not. */
  iss: string | null;
}

/** Waits for the person's browser. A request with another state is not theirs, and changes nothing. */
function answered(
  callback: ReturnType<typeof createServer>,
  state: string,
  signal: AbortSignal,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    callback.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? '';
      const url = URL.canParse(path, 'http://127.0.0.1') ? new URL(path, 'http://127.0.0.1') : undefined;
      if (url?.pathname !== CALLBACK_PATH || url.searchParams.get('state') !== state) {
        response.writeHead(404).end();
        return;
      }
      const { searchParams } = url;
      const [code, error] = [searchParams.get('code'), searchParams.get('error')];
      const words =
        code === null
          ? 'You are not signed in. See the terminal.'
          : 'You are signed in. You can close this page.';
      response
        .writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
        .end(words);
      if (code !== null) resolve({ code, iss: searchParams.get('iss') });
      else {
        const reason = searchParams.get('error_description') ?? error ?? 'without a reason';
        reject(new AgentError(`it was refused: ${oneLine(reason, MAX_REASON)}`));
      }
    });
  });
}

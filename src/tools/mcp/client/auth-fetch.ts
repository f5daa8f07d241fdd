import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { withoutSecrets } from '../../../core/records/secrets.ts';
import { isOnThisMachine } from '../../../core/agent-schema/server-schema.ts';
import { bounded } from '../../reach/bounded-answer.ts';
import { assertPublic, publicLookup } from '../../reach/public-lookup.ts';
import type { Authorized } from './authorization.ts';
import { boundedFetch } from './http-transport.ts';

/** How long getting a token may take, with all that has to be found out first: shorter than a lock of it is kept. */
const TOKEN_MS = 30_000;

/**
 * Asks the authorization server of a server, without the headers that are for the latter. The server names it, and it
 * names more addresses: all of them have to be on the public internet, but those at the origins that the agent's file
 * itself names. Redirects lead nowhere but within their origin. What it says of a failure ends in errors and logs, so
 * secrets are taken out of that.
 * @param most milliseconds, for all requests together
 */
export function authFetch(
  { url, auth: { issuer }, told }: Pick<Authorized, 'auth' | 'told' | 'url'>,
  most = TOKEN_MS,
): typeof boundedFetch {
  const signal = AbortSignal.timeout(most);
  const named = [url, issuer].flatMap((each) => (each === undefined ? [] : new URL(each).origin));
  const isHere = isOnThisMachine(new URL(url));
  return async (asked, init) => {
    const to = new URL(asked);
    const ask = isHere || named.includes(to.origin) ? boundedFetch : publicFetch;
    const response = await ask(to, { ...init, signal, redirect: 'manual' });
    if (response.ok || response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(withoutSecrets(await response.text(), told), { status, statusText, headers });
  };
}

/** As for the pages that agents fetch; `fetch` itself cannot be told which addresses it may connect to. */
async function publicFetch(to: string | URL, init?: RequestInit): Promise<Response> {
  const asked = new Request(to, init);
  const url = new URL(asked.url);
  if (url.protocol !== 'https:') throw new Error(`${url.origin} does not begin with https://`);
  assertPublic(url);
  const body = Buffer.from(await asked.arrayBuffer());
  const { request } = await import('node:https');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, {
      method: asked.method,
      headers: Object.fromEntries(asked.headers),
      signal: asked.signal,
      lookup: publicLookup(),
      agent: false,
    })
      .on('response', resolve)
      .on('error', reject)
      .end(body);
  });
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const hasBody = ![204, 205, 304].includes(status);
  return bounded(new Response(hasBody ? Readable.toWeb(answer) : null, { status, statusText, headers }));
}

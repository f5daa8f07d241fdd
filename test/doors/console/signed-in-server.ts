import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono/tiny';
import { proxy } from 'hono/proxy';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSignedInPage } from '../../../src/doors/api/signed-in-page.ts';
import { PAGE_PATHS } from '../../../src/places/aws/variables.ts';
import { startIssuer, type Issuer, type Oddity } from '../../fixtures/oidc-issuer.ts';

export interface SignedInServer {
  url: string;
  issuer: Issuer;
}

const CLIENT = 'the-page';
const API_TOKEN = 'what-the-issuer-gives';

/**
 * An environment with `console` as a browser sees it: the page's files are open, and everything else takes a token of
 * the issuer, as API Gateway sees to it.
 * @param api the address of requests with a token
 * @param accepts whether a token is accepted, by default that of the issuer
 */
export async function serveSignedIn(
  api: { url: string },
  {
    oddity = {},
    accepts = (token) => token === API_TOKEN,
  }: { oddity?: Oddity; accepts?: (token: string) => boolean } = {},
): Promise<SignedInServer> {
  let url = '';
  const issuer = await startIssuer({ id: CLIENT, redirectUri: () => `${url}/`, token: API_TOKEN }, oddity);
  const signIn = { issuer: issuer.url, clientId: CLIENT, scope: 'openid cadre/answer', audience: 'the-api' };
  const files = createSignedInPage(
    JSON.stringify(signIn),
    join(import.meta.dirname, '../../../dist/console'),
  );
  const app = new Hono();
  app.on('GET', [...PAGE_PATHS], (c) => files.fetch(c.req.raw));
  app.all('*', async (c) => {
    if (!accepts(c.req.header('authorization')?.replace('Bearer ', '') ?? ''))
      return c.json({ message: 'Unauthorized' }, 401);
    const { pathname, search } = new URL(c.req.url);
    return proxy(api.url + pathname + search, { raw: c.req.raw, headers: {} });
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  });
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return { url, issuer };
}

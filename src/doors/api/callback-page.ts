import { html } from 'hono/html';
import { Hono } from 'hono/tiny';
import { SIGN_IN_PATHS } from '../../places/aws/variables.ts';

/** What they put into the address that a person comes back to. */
const SENT = ['state', 'code', 'iss', 'error', 'error_description'] as const;

/** It runs and loads nothing, cannot be framed or cached, and tells nobody its address. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/**
 * Where a person's browser returns after signing in to a server. The page is open to all and does nothing: it links on
 * to the page in the same tab, which has the person's session, with the parameters behind `#`, where no server reads
 * them. Only there is the sign-in completed, by whoever began it. It is a document and not a redirect, so that a
 * browser takes the link for one of our own.
 */
export function createCallbackPage(): Hono {
  const page = new Hono();
  page.get(SIGN_IN_PATHS.callback, (c) => {
    const sent = SENT.flatMap((name): [string, string][] => {
      const value = c.req.query(name);
      return value === undefined ? [] : [[name, value]];
    });
    const to = `../#/servers?${new URLSearchParams(sent).toString()}`;
    const body = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta http-equiv="refresh" content="0; url=${to}" />
          <title>Cadre</title>
        </head>
        <body>
          <a href="${to}">Go on</a>
        </body>
      </html>`;
    return c.html(body, 200, HEADERS);
  });
  page.get(SIGN_IN_PATHS.client, async (c) => {
    const { clientMetadata } = await import('../../tools/mcp/client/login-provider.ts');
    const back = new URL(SIGN_IN_PATHS.callback, c.req.url).href;
    return c.json(
      { client_id: new URL(SIGN_IN_PATHS.client, c.req.url).href, ...clientMetadata(back) },
      200,
      HEADERS,
    );
  });
  return page;
}

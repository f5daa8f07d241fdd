import { gunzipSync } from 'node:zlib';
import { get as request, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createSignedInPage } from '../../../src/doors/api/signed-in-page.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { serveAgents, wallClock, type Setting } from './served-agents.ts';

const TOKEN = 'a-token-of-our-own';
const SCRIPT = `export const text = '${'long enough to be compressed, '.repeat(50)}';\n`;
const FILES = {
  'index.html': '<!doctype html>\n',
  'console.js': SCRIPT,
  'console.css': 'body {}\n',
  'chunks/tree-AB12.js': 'export {};\n',
};

async function servePage(setting: Setting = {}) {
  const page = await tempFolder(FILES);
  return (await serveAgents({ top: () => 'done' }, {}, {}, wallClock, { page, ...setting })).server.url;
}

/** `fetch` undoes what a body was encoded with, and asks for it by itself. */
async function ask(url: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      request(url, { headers }, (response) => {
        const { statusCode: status, headers: answered } = response;
        buffer(response).then((body) => resolve({ status, headers: answered, body }), reject);
      }).on('error', reject);
    },
  );
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PROVIDER = {
  issuer: 'https://login.example',
  authorization_endpoint: 'https://login.example/authorize',
  token_endpoint: 'https://tokens.example/oauth2/token',
};

test.each([
  ['/', 'text/html; charset=utf-8', FILES['index.html']],
  ['/console.js', 'text/javascript; charset=utf-8', SCRIPT],
  ['/console.css', 'text/css; charset=utf-8', FILES['console.css']],
])('%s is served to every client, and may do no more than the page has to', async (path, type, text) => {
  const url = await servePage({ token: TOKEN });
  const { status, headers, body } = await ask(url + path);
  expect([status, String(body)]).toEqual([200, text]);
  expect(headers).toMatchObject({
    'content-type': type,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
    etag: expect.stringMatching(/^"[0-9a-f]{40}"$/),
  });
  expect((await ask(`${url}/runs`)).status).toBe(401);
  expect(await (await fetch(`${url}/console-config.json`)).json()).toEqual({});
});

test('a file that a browser has already is not sent again, and is compressed for those that can take it', async () => {
  const url = `${await servePage()}/console.js`;
  const plain = await ask(url);
  const packed = await ask(url, { 'accept-encoding': 'gzip, deflate, br' });
  expect([packed.headers['content-encoding'], packed.headers['vary']]).toEqual(['gzip', 'Accept-Encoding']);
  expect(String(gunzipSync(packed.body))).toBe(SCRIPT);
  expect(packed.body.length).toBeLessThan(plain.body.length / 5);
  for (const { headers } of [plain, packed]) {
    const again = await ask(url, { 'if-none-match': String(headers['etag']), 'accept-encoding': 'gzip' });
    expect([again.status, again.body.length, again.headers['cache-control']]).toEqual([304, 0, 'no-cache']);
  }
  expect((await ask(url, { 'if-none-match': '"another"' })).status).toBe(200);
});

test('the page may ask the server that it came from, and other sites may not even see it', async () => {
  const url = await servePage();
  const { host } = new URL(url);
  const start = (headers: Record<string, string>) =>
    fetch(`${url}/agents/top/runs?wait=25`, { method: 'POST', headers });
  expect((await start({ origin: url, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  expect((await start({ origin: 'http://evil.example' })).status).toBe(403);
  expect((await ask(url, { host: 'evil.example' })).status).toBe(403);
  expect((await ask(url, { host, origin: 'http://evil.example' })).status).toBe(403);
});

test.each<[string, RequestListener, string]>([
  ['is not there', (_, response) => void response.writeHead(503).end(), 'it answers 503'],
  [
    'is another',
    (_, response) => void response.end(JSON.stringify(PROVIDER)),
    `it is the issuer ${PROVIDER.issuer}`,
  ],
  ['is none', (_, response) => void response.end('<html>'), 'Unexpected token'],
])('where the issuer %s, people are told, and it is asked again', async (_, listener, fault) => {
  let isOdd = true;
  const issuer = await serveOnLoopback((asked, response) => {
    if (isOdd) listener(asked, response);
    else response.end(JSON.stringify({ ...PROVIDER, issuer: issuer.endpoint }));
  });
  onTestFinished(issuer.close);
  const signIn = { issuer: issuer.endpoint, clientId: 'page', scope: 'openid' };
  const page = createSignedInPage(JSON.stringify(signIn), await tempFolder(FILES));
  const refused = await page.request('/');
  expect([refused.status, await refused.json()]).toMatchObject([
    502,
    {
      detail: expect.stringContaining(
        `cannot learn from ${issuer.endpoint}/.well-known/openid-configuration where to sign in: ${fault}`,
      ),
    },
  ]);
  isOdd = false;
  const { status, headers } = await page.request('/');
  expect([status, headers.get('content-security-policy')]).toEqual([
    200,
    POLICY.replace("connect-src 'self'", "connect-src 'self' https://tokens.example"),
  ]);
});

test('a chunk is kept for as long as a browser likes, since its name changes with it, and no name leads elsewhere', async () => {
  const url = await servePage({ token: TOKEN });
  const { status, headers, body } = await ask(`${url}/chunks/tree-AB12.js`);
  expect([status, String(body)]).toEqual([200, FILES['chunks/tree-AB12.js']]);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'public, max-age=31536000, immutable',
  });
  for (const path of ['..%2Fconsole.js', '%2e%2e%2fconsole.js', '..%5Cconsole.js', 'index.html', '']) {
    expect((await ask(`${url}/chunks/${path}`, { authorization: `Bearer ${TOKEN}` })).status).toBe(404);
  }
  const gone = await fetch(`${url}/chunks/tree-CD34.js`);
  expect([gone.status, await gone.json()]).toMatchObject([
    404,
    { detail: 'the page is a newer one: reload it' },
  ]);
});

test('a clone that was not built says what is missing', async () => {
  const url = await servePage({ page: await tempFolder() });
  const response = await fetch(url);
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { detail: 'the page is not built: npm run build' },
  ]);
});

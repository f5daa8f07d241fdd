import { expect, onTestFinished, test } from 'vitest';
import { NO_SECRETS } from '../../../src/core/records/secrets.ts';
import { AgentError, ConfigError } from '../../../src/errors.ts';
import { addressOf, type ServerAuth, type ToolServer } from '../../../src/core/records/tool-server.ts';
import { createToolServers } from '../../../src/places/tool-servers.ts';
import { authFetch } from '../../../src/tools/mcp/client/auth-fetch.ts';
import { revokeTokens } from '../../../src/tools/mcp/client/revoke.ts';
import { beginSignIn, completeSignIn } from '../../../src/tools/mcp/client/sign-in.ts';
import { signInHere } from '../../../src/tools/mcp/client/sign-in-here.ts';
import type { Logins } from '../../../src/tools/mcp/ports.ts';
import { bodyOf, serveOnLoopback } from '../../fixtures/loopback.ts';
import { memoryLogins } from '../../fixtures/signing-in.ts';
import { startSignInServer, type Metadata } from '../../fixtures/sign-in-server.ts';
import { toolServer } from '../../fixtures/tool-server.ts';

function open(loginsOf: (owner: string | undefined) => Logins | undefined) {
  const servers = createToolServers({
    ...NO_SECRETS,
    loginsOf: async (owner) => loginsOf(owner),
    now: Date.now,
  });
  onTestFinished(() => servers.close());
  return async (server: ToolServer, owner?: string) => {
    const signal = AbortSignal.timeout(20_000);
    const call = { tool: 'echo', name: 'mcp__docs__echo', arguments: { word: 'a' }, isRepeatable: false };
    return (await servers.call(server, { ...call, owner, signal })).text;
  };
}

test.each<[string, (issuer: string) => Metadata, Partial<ServerAuth>, RegExp]>([
  ['does not say that it has PKCE', () => ({ code_challenge_methods_supported: undefined }), {}, /PKCE/],
  ['has another form of PKCE', () => ({ code_challenge_methods_supported: ['plain'] }), {}, /PKCE \(S256\)/],
  ['says that it is another', () => ({ issuer: 'https://login.example.org' }), {}, /login\.example\.org/],
  [
    'is not the one that the file names',
    () => ({}),
    { issuer: 'https://login.example.org' },
    /it names the authorization server http:\S+, and the agent's file https:\/\/login\.example\.org$/,
  ],
  [
    'leads to a script',
    () => ({ authorization_endpoint: 'javascript:alert(1)' }),
    {},
    /^cannot sign in to server "docs": /,
  ],
  [
    'leads where others read along',
    () => ({ authorization_endpoint: 'http://login.example.org/in' }),
    {},
    /it leads to http:\/\/login\.example\.org, where nobody should sign in$/,
  ],
])('nobody is led to an authorization server that %s', async (_, changed, auth, words) => {
  const { server, asked } = await startSignInServer(changed, auth);
  const beginning = beginSignIn(server, NO_SECRETS, undefined, { redirectUrl: 'http://127.0.0.1/back' });
  await expect(beginning).rejects.toThrow(words);
  expect(asked.filter((each) => each.startsWith('/token'))).toEqual([]);
});

test('a refused registration is told in words', async () => {
  const { server, instead } = await startSignInServer();
  instead.set('/register', () => ({
    status: 400,
    body: { error: 'invalid_client_metadata', error_description: 'no guests' },
  }));
  const beginning = beginSignIn(server, NO_SECRETS, undefined, { redirectUrl: 'http://127.0.0.1/back' });
  await expect(beginning).rejects.toThrow(/^cannot sign in to server "docs": .*no guests/);
});

test.each([
  [{ error: 'access_denied', error_description: 'Ada has\nno access' }, 'Ada has no access'],
  [{ error: 'access_denied' }, 'access_denied'],
  [{}, 'without a reason'],
])('whoever comes back without a code, with %j, has been refused', async (back, reason) => {
  const { server } = await startSignInServer();
  const { begun } = await beginSignIn(server, NO_SECRETS, undefined, {
    redirectUrl: 'http://127.0.0.1/back',
  });
  const ending = completeSignIn(server, NO_SECRETS, begun, back);
  await expect(ending).rejects.toThrow(new AgentError(`it was refused: ${reason}`));
});

test('nobody signs in to a server that takes no sign-in', async () => {
  const server = toolServer({ url: 'http://127.0.0.1:1/mcp' });
  const beginning = beginSignIn(server, NO_SECRETS, undefined, { redirectUrl: 'http://127.0.0.1/back' });
  await expect(beginning).rejects.toThrow(
    new ConfigError('server "docs" has no auth = "oauth": nobody signs in to it'),
  );
});

test('a person sees in the browser whether they are signed in, and nobody else ends their sign-in', async () => {
  const { server } = await startSignInServer();
  const logins = memoryLogins();
  const seen = async (
    change: (back: URL) => void,
    before: (address: URL) => Promise<unknown> = async () => {},
  ) => {
    let page: Promise<string> | undefined;
    const show = (address: string) => {
      page = (async () => {
        const { headers } = await fetch(address, { redirect: 'manual' });
        const back = new URL(headers.get('location') ?? '');
        await before(back);
        change(back);
        return (await fetch(back)).text();
      })();
    };
    const ended = await signInHere(server, {
      ...NO_SECRETS,
      logins,
      signal: AbortSignal.timeout(20_000),
      show,
    }).then(() => 'signed in', String);
    return [await page, ended];
  };
  const statuses: number[] = [];
  const strange = async (back: URL) => {
    const other = new URL(back);
    other.searchParams.set('state', 'another');
    for (const url of [other, new URL('/', back)]) statuses.push((await fetch(url)).status);
  };
  expect(await seen(() => {}, strange)).toEqual(['You are signed in. You can close this page.', 'signed in']);
  expect(statuses).toEqual([404, 404]);
  const refuse = (back: URL) => back.searchParams.delete('code');
  expect(await seen(refuse)).toEqual([
    'You are not signed in. See the terminal.',
    'AgentError: it was refused: without a reason',
  ]);
});

test('a token that has ended is renewed, with the refresh token that came last', async () => {
  const { server, signIn, expire, asked } = await startSignInServer();
  const logins = memoryLogins();
  await signIn(logins);
  const call = open(() => logins);
  expect(await call(server)).toBe('echo: a');
  for (const last of [2, 3]) {
    expire();
    expect(await call(server)).toBe('echo: a');
    expect(await logins.read(addressOf(server))).toMatchObject({
      tokens: { refresh_token: `refresh-ada-token-${last}` },
    });
  }
  expect(asked.filter((each) => each.startsWith('/token'))).toEqual([
    '/token authorization_code',
    '/token refresh_token',
    '/token refresh_token',
  ]);
});

test('whoever is no longer known is told to sign in again, and no secret gets into words that an authorization server repeats', async () => {
  const { server, signIn, expire, instead, asked } = await startSignInServer();
  const logins = memoryLogins();
  await signIn(logins);
  const call = open(() => logins);
  expire();
  instead.set('/token', ({ refresh_token = '' }) => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: `unknown: ${refresh_token}` },
  }));
  const warned: string[] = [];
  const { warn } = console;
  console.warn = (...words: unknown[]) => void warned.push(words.join(' '));
  onTestFinished(() => void (console.warn = warn));
  const refused =
    'Error: mcp__docs__echo failed - server "docs" does not answer: server "docs" wants its sign-in once more: sign in';
  expect(await call(server)).toBe(refused);
  // Nor is it asked for again.
  const before = asked.length;
  expect(await call(server)).toContain('server "docs" takes a sign-in: sign in');
  expect(asked.length).toBe(before);
  expect(warned.join('\n')).toContain('unknown: [secret]');
  expect(warned.join('\n')).not.toContain('refresh-ada');
});

test('an authorization server that fails for a while ends no sign-in', async () => {
  const { server, signIn, expire, instead } = await startSignInServer();
  const logins = memoryLogins();
  await signIn(logins);
  const call = open(() => logins);
  expire();
  instead.set('/token', () => ({ status: 503, body: {} }));
  expect(await call(server)).toContain('gives no tokens now: try again later');
  instead.clear();
  expect(await call(server)).toBe('echo: a');
});

test('each owner is known to a server by a sign-in of their own, and by nobody else’s', async () => {
  const { server, signIn, take, taken } = await startSignInServer();
  const all = new Map([undefined, 'ada', 'bob'].map((owner) => [owner, memoryLogins()]));
  await signIn(all.get('ada') ?? expect.fail(), 'ada');
  await signIn(all.get('bob') ?? expect.fail(), 'bob');
  const call = open((owner) => all.get(owner));
  take('ada-token-1');
  expect(await call(server, 'ada')).toBe('echo: a');
  take('bob-token-2');
  expect(await call(server, 'bob')).toBe('echo: a');
  expect(new Set(taken)).toEqual(new Set(['ada-token-1', 'bob-token-2']));
  taken.length = 0;
  // Of somebody who has signed in nowhere, of the place, and of somebody whom the place does not know.
  for (const owner of ['cleo', undefined]) {
    expect(await call(server, owner)).toMatch(/takes a sign-in/);
  }
  expect(taken).toEqual([]);
});

test.each([
  'https://127.0.0.1:1/token',
  'https://localhost:1/token',
  'https://169.254.169.254/latest/meta-data',
  'https://[::ffff:10.0.0.1]/token',
  'https://[fd00::1]/token',
  'http://login.example.org/token',
])('an authorization server is not asked at %s, unless the file names it', async (address) => {
  const url = 'https://tools.example.org/mcp';
  const ask = authFetch({ url, auth: { kind: 'oauth' }, told: new Set() });
  await expect(ask(address)).rejects.toThrow(/not on the public internet|begin with https/);
});

test('an authorization server that the file names may be anywhere', async () => {
  const { issuer } = await startSignInServer();
  const ask = authFetch({
    url: 'https://tools.example.org/mcp',
    auth: { kind: 'oauth', issuer },
    told: new Set(),
  });
  const response = await ask(`${issuer}/.well-known/oauth-authorization-server`);
  expect(await response.json()).toMatchObject({ issuer });
});

test('tokens are revoked where they came from, the one first that gives others', async () => {
  const { server, signIn, asked, instead, issuer } = await startSignInServer((own) => ({
    revocation_endpoint: `${own}/revoke`,
  }));
  const logins = memoryLogins();
  await signIn(logins);
  const login = (await logins.read(addressOf(server))) ?? {};
  const forms: Record<string, string>[] = [];
  instead.set('/revoke', (form) => {
    forms.push(form);
    return { body: {} };
  });
  expect(await revokeTokens(server, NO_SECRETS, login)).toBeUndefined();
  expect(forms).toEqual([
    { token: 'refresh-ada-token-1', token_type_hint: 'refresh_token', client_id: 'c' },
    { token: 'ada-token-1', token_type_hint: 'access_token', client_id: 'c' },
  ]);
  instead.set('/revoke', () => ({ status: 503, body: {} }));
  expect(await revokeTokens(server, NO_SECRETS, login)).toBe('its authorization server answers HTTP 503');
  // A server of theirs that names another by now gets nothing.
  const before = asked.length;
  const elsewhere = { tokens: { ...Object(login.tokens), issuer: 'https://127.0.0.2' } };
  expect(await revokeTokens(server, NO_SECRETS, elsewhere)).not.toContain('ada-token-1');
  expect([issuer, asked.slice(before)]).toEqual([issuer, []]);
});

test.each<[string, object, string[], Record<string, string>]>([
  [
    'in a header',
    { client_secret: 'a b' },
    ['client_secret_basic'],
    { authorization: `Basic ${btoa('c:a%20b')}` },
  ],
  ['in the form', { client_secret: 's' }, ['client_secret_post'], { client_id: 'c', client_secret: 's' }],
  ['by its name', {}, ['client_secret_basic'], { client_id: 'c' }],
])('a client that gives tokens back says who it is %s', async (_, secret, ways, said) => {
  const { endpoint, close } = await serveOnLoopback(async (request, response) => {
    const body = Object.fromEntries(new URLSearchParams(String(await bodyOf(request))));
    const { authorization } = request.headers;
    if (request.method === 'POST')
      forms.push({ ...body, ...(authorization !== undefined && { authorization }) });
    const metadata = {
      issuer: endpoint,
      response_types_supported: ['code'],
      authorization_endpoint: endpoint,
      token_endpoint: endpoint,
      revocation_endpoint: endpoint,
      revocation_endpoint_auth_methods_supported: ways,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  });
  onTestFinished(close);
  const forms: object[] = [];
  const url = 'https://tools.example.org/mcp';
  const auth = { kind: 'oauth' as const, issuer: endpoint };
  const server = toolServer({ url }, { reach: { kind: 'url', url, headers: {}, auth } });
  const tokens = { access_token: 't', token_type: 'Bearer', issuer: endpoint };
  const login = { tokens, client: { client_id: 'c', ...secret } };
  expect(await revokeTokens(server, NO_SECRETS, login)).toBeUndefined();
  expect(forms).toEqual([{ token: 't', token_type_hint: 'access_token', ...said }]);
  const unknown = { ...login, tokens: { ...tokens, issuer: undefined } };
  expect(await revokeTokens(server, NO_SECRETS, unknown)).toBe(
    'it is not known which authorization server gave the tokens',
  );
  expect(await revokeTokens(toolServer({ url }), NO_SECRETS, login)).toBe(
    'the server takes no sign-in any more',
  );
});

test('tokens of an authorization server that revokes none stay valid, which is said', async () => {
  const { server, signIn } = await startSignInServer();
  const logins = memoryLogins();
  await signIn(logins);
  const login = (await logins.read(addressOf(server))) ?? {};
  expect(await revokeTokens(server, NO_SECRETS, login)).toBe('its authorization server revokes no tokens');
  expect(await revokeTokens(server, NO_SECRETS, {})).toBeUndefined();
});

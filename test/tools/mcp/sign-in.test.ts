import { expect, onTestFinished, test } from 'vitest';
import { NO_SECRETS } from '../../../src/core/records/secrets.ts';
import { addressOf, type ServerAuth, type ToolServer } from '../../../src/core/records/tool-server.ts';
import { createToolServers } from '../../../src/places/tool-servers.ts';
import { authFetch } from '../../../src/tools/mcp/client/auth-fetch.ts';
import { revokeTokens } from '../../../src/tools/mcp/client/revoke.ts';
import { beginSignIn } from '../../../src/tools/mcp/client/sign-in.ts';
import type { Logins } from '../../../src/tools/mcp/ports.ts';
import { memoryLogins } from '../../fixtures/signing-in.ts';
import { startSignInServer, type Metadata } from '../../fixtures/sign-in-server.ts';

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

test('tokens of an authorization server that revokes none stay valid, which is said', async () => {
  const { server, signIn } = await startSignInServer();
  const logins = memoryLogins();
  await signIn(logins);
  const login = (await logins.read(addressOf(server))) ?? {};
  expect(await revokeTokens(server, NO_SECRETS, login)).toBe('its authorization server revokes no tokens');
  expect(await revokeTokens(server, NO_SECRETS, {})).toBeUndefined();
});

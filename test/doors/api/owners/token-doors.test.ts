import type { ServerResponse } from 'node:http';
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { serveOnLoopback } from '../../../fixtures/loopback.ts';
import { openDoors } from './deployed-doors.ts';

const AUDIENCE = 'cadre';
const TOKENS = { audience: [AUDIENCE], scopes: ['cadre/run'], answerScopes: ['cadre/answer'] };

/** Undefined: the token lacks it. */
type Claims = Record<string, unknown>;
type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let own: Keys;
let others: Keys;
beforeAll(async () => {
  [own, others] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
});

const publicKey = async (keys: Keys) => ({
  ...(await exportJWK(keys.publicKey)),
  kid: 'one',
  alg: 'RS256',
  use: 'sig',
});

/** The doors of an environment that takes the tokens of an issuer on loopback. */
async function open(published: readonly Keys[] = [own]) {
  /** Answers in place of the issuer. */
  let answer: ((response: ServerResponse) => void) | undefined;
  const asked: string[] = [];
  const issuer = await serveOnLoopback(async (request, response) => {
    asked.push(request.url ?? '');
    if (answer !== undefined) return answer(response);
    const isDiscovery = request.url === '/tenant/.well-known/openid-configuration';
    const body = isDiscovery
      ? { issuer: url, jwks_uri: `${issuer.endpoint}/keys` }
      : { keys: await Promise.all(published.map(publicKey)) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const url = `${issuer.endpoint}/tenant`;
  onTestFinished(issuer.close);
  const doors = await openDoors({ kid: () => 'small' }, {});
  const fetch = doors.under(url).guarded({ issuer: url, ...TOKENS });
  const token = (
    claims: Claims = {},
    key: Keys['privateKey'] | Uint8Array = own.privateKey,
    header: Partial<JWTHeaderParameters> = {},
  ) =>
    new SignJWT({
      sub: 'ada',
      iss: url,
      aud: AUDIENCE,
      scope: 'openid cadre/run',
      exp: Math.floor(Date.now() / 1000) + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
      .sign(key);
  const ask = async (path: string, authorization?: string, json?: unknown) => {
    const response = await fetch(
      new Request(`https://doors.example.org${path}`, {
        method: json === undefined ? 'GET' : 'POST',
        headers: {
          ...(authorization !== undefined && { authorization }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      }),
    );
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const { store } = doors.stage.pipeline;
  return { url, ask, token, store, asked, answerWith: (other: typeof answer) => (answer = other) };
}

const COMPLETION = { model: 'cadre/kid', messages: [{ role: 'user', content: 'go' }] };

test('a run over the doors is of the person whose token it was, and of its issuer', async () => {
  const { url, ask, token, store } = await open();
  const asked = await ask('/v1/chat/completions', `Bearer ${await token()}`, COMPLETION);
  const run = await store.run(asked.headers.get('x-cadre-run') ?? '');
  expect([asked.status, run?.owner, run?.issuer]).toEqual([200, 'ada', url]);
});

const HOUR = 3_600;
const now = () => Math.floor(Date.now() / 1000);

test.each<[string, number, Claims]>([
  [
    'names the client, as tokens for access without an audience do',
    200,
    { aud: undefined, client_id: AUDIENCE },
  ],
  ['is for several, us among them', 200, { aud: ['x', AUDIENCE] }],
  ['lists its scopes', 200, { scope: undefined, scp: ['cadre/run', 'x'] }],
  ['has expired', 401, { exp: now() - HOUR }],
  ['never expires', 401, { exp: undefined }],
  ['is not good yet', 401, { nbf: now() + HOUR }],
  ['is of another issuer', 401, { iss: 'https://login.example.org' }],
  ['is for somebody else', 401, { aud: 'other' }],
  ['is for somebody else, whatever client it names', 401, { aud: 'other', client_id: AUDIENCE }],
  ['is for nobody', 401, { aud: undefined }],
  ['has other scopes', 403, { scope: 'cadre/runs openid' }],
  ['has no subject', 403, { sub: undefined }],
  ['says that it has no subject', 403, { sub: null }],
])('a token that %s is answered with %i', async (_, status, claims) => {
  const { ask, token } = await open();
  const reply = await ask('/v1/chat/completions', `Bearer ${await token(claims)}`, COMPLETION);
  expect(reply.status).toBe(status);
});

test('nothing is answered without a good token, wherever it is sent, and clients are told where to get one', async () => {
  const { url, ask, token } = await open();
  const [forged, good] = [await token({}, others.privateKey), await token()];
  const [head = '', body = ''] = good.split('.');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
  const tokens = [
    undefined,
    'Bearer x',
    `Basic ${good}`,
    `Bearer ${forged}`,
    `Bearer ${unsigned}`,
    `Bearer ${head}.${body}.x`,
  ];
  const paths = ['/v1/models', '/v1/models/cadre/kid', '/mcp', '/agents/kid/ag-ui', '/runs', '/'];
  for (const path of paths) {
    for (const authorization of tokens) {
      const { status, headers } = await ask(path, authorization);
      expect([status, headers.get('x-content-type-options')]).toEqual([401, 'nosniff']);
      expect(headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="https://doors.example.org/.well-known/oauth-protected-resource${path}"`,
      );
    }
  }
  expect(JSON.parse((await ask('/v1/models')).text).error.code).toBe('invalid_api_key');
  expect(JSON.parse((await ask('/mcp')).text).detail).toContain('send a token');
  expect(JSON.parse((await ask('/.well-known/oauth-protected-resource/mcp')).text)).toEqual({
    resource: 'https://doors.example.org/mcp',
    authorization_servers: [url],
    bearer_methods_supported: ['header'],
    scopes_supported: ['cadre/run'],
  });
});

type Forge = (door: Awaited<ReturnType<typeof open>>) => Promise<string>;

test.each<[string, Forge]>([
  [
    'is signed with the public key as a secret',
    async ({ token }) =>
      token({}, new TextEncoder().encode(await exportSPKI(own.publicKey)), { alg: 'HS256' }),
  ],
  [
    'is signed in a way that the API does not take',
    async ({ token }) => token({}, (await generateKeyPair('ES256')).privateKey, { alg: 'ES256' }),
  ],
  [
    'brings its own key along',
    async ({ token }) => token({}, others.privateKey, { jwk: await publicKey(others) }),
  ],
  [
    'says where its keys are',
    ({ token, url }) => token({}, others.privateKey, { jku: `${url}/forged`, x5u: `${url}/forged` }),
  ],
  ['names a key that there is not', ({ token }) => token({}, own.privateKey, { kid: 'two' })],
  ['names a file as its key', ({ token }) => token({}, own.privateKey, { kid: '../../../../dev/null' })],
  ['says in words when it expires', ({ token }) => token({ exp: String(now() + HOUR) })],
  ['is of several issuers', ({ token, url }) => token({ iss: [url] })],
  ['is huge and forged', ({ token }) => token({ more: 'x'.repeat(1_000_000) }, others.privateKey)],
  ['is huge and no token', async () => '.'.repeat(1_000_000)],
])('a token that %s is refused, and has nothing else asked for', async (_, forge) => {
  const door = await open();
  const forged = await forge(door);
  for (let time = 1; time <= 3; time += 1) {
    expect((await door.ask('/v1/models', `Bearer ${forged}`)).status).toBe(401);
  }
  // Whoever sends tokens without end does not have the issuer asked without end.
  const once = ['/tenant/.well-known/openid-configuration', '/keys'];
  expect(once.slice(0, door.asked.length)).toEqual(door.asked);
});

test('two keys of one name let nobody in whose token is signed with neither', async () => {
  const { ask, token } = await open([own, others]);
  const { privateKey } = await generateKeyPair('RS256');
  expect((await ask('/v1/models', `Bearer ${await token({}, privateKey)}`)).status).toBe(401);
});

test.each<[string, (response: ServerResponse, timeUp: () => void) => void]>([
  ['does not give its keys', (response) => response.writeHead(500).end('{}')],
  ['sends elsewhere for its keys', (response) => response.writeHead(302, { location: '/keys2' }).end()],
  ['gives something else', (response) => response.end('<p>Sign in</p>')],
  ['hangs', (_, timeUp) => timeUp()],
  [
    'hangs in the middle',
    (response, timeUp) => {
      response.write('{"keys":[');
      timeUp();
    },
  ],
])('an issuer that %s is no fault of the token, and is asked again', async (_, answer) => {
  const { ask, token, asked, answerWith } = await open();
  const authorization = `Bearer ${await token()}`;
  const times: AbortController[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const time = new AbortController();
    times.push(time);
    return time.signal;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const timeUp = () => times.at(-1)?.abort(new DOMException('its time is over', 'TimeoutError'));
  // First where its keys are is not to be had, then the keys.
  for (const wanted of ['/tenant/.well-known/openid-configuration', '/keys']) {
    answerWith((response) => answer(response, timeUp));
    expect((await ask('/v1/models', authorization)).status).toBe(503);
    expect(asked.at(-1)).toBe(wanted);
    answerWith(undefined);
    if (wanted !== '/keys') await ask('/v1/models', 'Bearer x');
  }
  expect((await ask('/v1/models', authorization)).status).toBe(200);
});

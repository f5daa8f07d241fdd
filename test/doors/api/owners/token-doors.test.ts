import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
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

/** The doors of an environment that takes the tokens of an issuer on loopback. */
async function open() {
  let isThere = true;
  const issuer = await serveOnLoopback(async (request, response) => {
    const isDiscovery = request.url === '/tenant/.well-known/openid-configuration';
    const body = isDiscovery
      ? { issuer: url, jwks_uri: `${issuer.endpoint}/keys` }
      : { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] };
    response.writeHead(isThere ? 200 : 500, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const url = `${issuer.endpoint}/tenant`;
  onTestFinished(issuer.close);
  const doors = await openDoors({ kid: () => 'small' }, {});
  const fetch = doors.under(url).guarded({ issuer: url, ...TOKENS });
  const token = (claims: Claims = {}, { privateKey }: Pick<Keys, 'privateKey'> = own) =>
    new SignJWT({
      sub: 'ada',
      iss: url,
      aud: AUDIENCE,
      scope: 'openid cadre/run',
      exp: Math.floor(Date.now() / 1000) + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(privateKey);
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
  return { url, ask, token, store, setThere: (there: boolean) => (isThere = there) };
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
  const [forged, good] = [await token({}, others), await token()];
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

test('an issuer that does not give its keys is no fault of the token, and is asked again', async () => {
  const { ask, token, setThere } = await open();
  const authorization = `Bearer ${await token()}`;
  setThere(false);
  expect((await ask('/v1/models', authorization)).status).toBe(503);
  setThere(true);
  expect((await ask('/v1/models', authorization)).status).toBe(200);
});

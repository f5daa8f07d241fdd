import { expect, test } from 'vitest';
import { NO_SECRETS } from '../../../../src/core/records/secrets.ts';
import { ownerKey } from '../../../../src/core/records/owner.ts';
import { addressOf } from '../../../../src/core/records/tool-server.ts';
import { createTableLogins } from '../../../../src/places/store/logins.ts';
import { createMemoryTable } from '../../../../src/places/store/memory-table.ts';
import { createSeal } from '../../../../src/places/store/seal.ts';
import { startSignInServer } from '../../../fixtures/sign-in-server.ts';
import { ISSUER, openDoors, type Caller } from './deployed-doors.ts';

/** Doors to an agent with a server that persons sign in to. */
async function openWorld() {
  const world = await startSignInServer();
  const url = addressOf(world.server);
  const table = createMemoryTable();
  let time = 0;
  const loginsOf = (owner: string | undefined) =>
    createTableLogins({ table, owner, seal: createSeal('k'), howTo: () => 'how', now: () => time });
  const { ask } = await openDoors(
    { kid: () => 'small' },
    { kid: `[[mcp_servers]]\nname = "wiki"\nurl = "${url}"\nauth = "oauth"\n` },
    {
      signIns: async () => ({
        of: async (owner) => loginsOf(owner),
        secrets: NO_SECRETS,
        howToForPlace: 'cadre mcp login',
      }),
    },
  );
  const json = async (...asked: Parameters<typeof ask>) => {
    const { status, text } = await ask(...asked);
    return { status, body: JSON.parse(text) };
  };
  const [{ id }] = (await json('ada', 'GET', '/servers')).body.servers;
  return {
    ...world,
    url,
    id,
    json,
    table,
    pass: (ms: number) => void (time += ms),
    connected: async (who: Caller) => (await json(who, 'GET', '/servers')).body.servers[0].connected,
    /** Begins, and lets the person in. @returns what their browser comes back with */
    begin: async (who: Caller) => {
      const { body } = await json(who, 'POST', `/servers/${id}/connect`, {});
      const { headers } = await fetch(body.url, { redirect: 'manual' });
      const back = new URL(headers.get('location') ?? '');
      return { asked: new URL(body.url).searchParams, back, sent: Object.fromEntries(back.searchParams) };
    },
    token: async (owner: string) => (await loginsOf(ownerKey(ISSUER, owner)).read(url))?.tokens,
  };
}

test('each person signs in to a server with an account of their own, and out of it', async () => {
  const { json, id, begin, connected, token, url, table } = await openWorld();
  expect((await json('ada', 'GET', '/servers')).body).toEqual({
    servers: [{ id, name: 'wiki', host: new URL(url).host, agents: ['kid'], connected: false }],
  });
  const { asked, back, sent } = await begin('ada');
  expect(back.origin + back.pathname).toBe('https://api.example.org/oauth/callback');
  expect(Object.fromEntries(asked)).toMatchObject({
    code_challenge_method: 'S256',
    redirect_uri: 'https://api.example.org/oauth/callback',
    resource: url,
  });
  expect(await json('ada', 'POST', '/servers/callback', sent)).toEqual({ status: 200, body: { id } });
  expect(await Promise.all((['ada', 'bob', 'admin'] as const).map(connected))).toEqual([true, false, false]);
  expect(await token('ada')).toMatchObject({ access_token: 'ada-token-1' });
  let kept = '';
  for await (const item of table.query(`login@${ownerOf('ada')}`, '')) kept += JSON.stringify(item.value);
  expect(kept).not.toMatch(/ada-token|the-code/);
  expect((await json('bob', 'POST', `/servers/${id}/disconnect`, {})).status).toBe(200);
  expect(await connected('ada')).toBe(true);
  await json('ada', 'POST', `/servers/${id}/disconnect`, {});
  expect([await connected('ada'), await token('ada')]).toEqual([false, undefined]);
});

test('nobody ends a sign-in that another has begun, ends one twice, or comes too late', async () => {
  const { json, begin, connected, asked: requests, pass } = await openWorld();
  const refused = { status: 409, body: { detail: expect.stringContaining('was not begun by you') } };
  const hers = await begin('ada');
  // Her code, whether he has it or leads her browser to his own sign-in.
  for (const who of ['bob', 'admin'] as const) {
    expect(await json(who, 'POST', '/servers/callback', hers.sent)).toMatchObject(refused);
  }
  const his = await begin('bob');
  expect(await json('ada', 'POST', '/servers/callback', his.sent)).toMatchObject(refused);
  expect(await json('ada', 'POST', '/servers/callback', { state: 'x', code: 'y' })).toMatchObject(refused);
  expect(requests.filter((each) => each.startsWith('/token'))).toEqual([]);
  expect((await json('ada', 'POST', '/servers/callback', hers.sent)).status).toBe(200);
  expect(await json('ada', 'POST', '/servers/callback', hers.sent)).toMatchObject(refused);
  pass(600_000);
  expect(await json('bob', 'POST', '/servers/callback', his.sent)).toMatchObject(refused);
  expect([await connected('ada'), await connected('bob')]).toEqual([true, false]);
});

test('a sign-in that comes to nothing is told in words, without the code', async () => {
  const { json, begin, instead, id } = await openWorld();
  const { sent } = await begin('ada');
  const denied = { state: sent['state'], error: 'access_denied', error_description: 'not today' };
  expect(await json('ada', 'POST', '/servers/callback', denied)).toMatchObject({
    status: 422,
    body: { detail: 'it was refused: not today' },
  });
  instead.set('/token', ({ code = '' }) => ({
    status: 400,
    body: { error: 'invalid_request', error_description: `no such code: ${code}` },
  }));
  const { sent: again } = await begin('ada');
  expect(await json('ada', 'POST', '/servers/callback', again)).toMatchObject({
    status: 422,
    body: { detail: expect.stringMatching(/^cannot sign in to server "wiki": no such code: \[secret\]$/) },
  });
  // A browser does not come back to what signs its requests.
  expect(await json('account', 'POST', `/servers/${id}/connect`, {})).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('cadre mcp login') },
  });
  expect((await json('ada', 'POST', '/servers/nothing/connect', {})).status).toBe(404);
});

function ownerOf(subject: string): string {
  return ownerKey(ISSUER, subject);
}

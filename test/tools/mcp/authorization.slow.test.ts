import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as v from 'valibot';
import { createLoginFiles } from '../../../src/places/local/login-files.ts';
import { NO_SECRETS } from '../../../src/core/records/secrets.ts';
import type { ServerAuth, ToolServer } from '../../../src/core/records/tool-server.ts';
import { signInHere } from '../../../src/tools/mcp/client/sign-in-here.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';
import { startAuthorizationServer } from '../../fixtures/authorization-server.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { openToolServers, startToolServer, toolServer } from '../../fixtures/tool-server.ts';

async function start(auth: ServerAuth) {
  const authorization = await startAuthorizationServer();
  const { url } = await startToolServer('both', authorization.guard);
  const server: ToolServer = toolServer({ url }, { reach: { kind: 'url', url, headers: {}, auth } });
  const folder = join(await tempFolder({}), 'logins');
  return { authorization, server, folder, logins: createLoginFiles(folder) };
}

const echo = (word: string) => ({
  tool: 'echo',
  name: 'mcp__docs__echo',
  arguments: { word },
  owner: undefined,
  isRepeatable: true,
  signal: AbortSignal.timeout(20_000),
});

const Given = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ tokens: v.object({ access_token: v.string(), refresh_token: v.string() }) }),
);

test('a person signs in once, by a client that registers itself; tokens are renewed by one process for all, and are nobody else’s to read', async () => {
  const { authorization, server, folder, logins } = await start({ kind: 'oauth' });
  const before = openToolServers({}, logins);
  expect((await before.call(server, echo('a'))).text).toContain(
    'server "docs" takes a sign-in: cadre mcp login <agent> docs',
  );
  const pages: Promise<string>[] = [];
  await signInHere(server, {
    ...NO_SECRETS,
    logins,
    signal: AbortSignal.timeout(20_000),
    show: (url) => void pages.push(authorization.signIn(url)),
  });
  expect(await Promise.all(pages)).toEqual(['You are signed in. You can close this page.']);
  const [file = ''] = await readdir(folder);
  expect([(await readdir(folder)).length, (await stat(join(folder, file))).mode & 0o777]).toEqual([1, 0o600]);
  const servers = openToolServers({}, logins);
  expect(await servers.call(server, echo('a'))).toMatchObject({ text: 'echo: a' });
  const given = await readFile(join(folder, file), 'utf8');
  const { tokens } = v.parse(Given, given);
  for (const token of Object.values(tokens)) {
    expect(await servers.call(server, echo(token))).toMatchObject({ text: 'echo: [secret]' });
  }
  authorization.revoke();
  const others = openToolServers({}, createLoginFiles(folder));
  const answers = await Promise.all([servers.call(server, echo('b')), others.call(server, echo('c'))]);
  expect(answers.map(({ text }) => text)).toEqual(['echo: b', 'echo: c']);
  expect(await readFile(join(folder, file), 'utf8')).not.toBe(given);
  expect(authorization.grants).toEqual(['authorization_code', 'refresh_token']);
});

test('a client that is known by itself gets its tokens with its secret', async () => {
  const { authorization, server } = await start({
    kind: 'client_credentials',
    clientId: 'robot',
    clientSecret: '${ROBOT_SECRET}',
  });
  const servers = openToolServers({ ROBOT_SECRET: 'robots-secret' });
  expect(await servers.call(server, echo('a'))).toMatchObject({ text: 'echo: a' });
  expect(authorization.grants).toEqual(['client_credentials']);
});

test('a secret that is for one authorization server is not taken to another that the server names', async () => {
  const secret = { clientId: 'robot', clientSecret: '${ROBOT_SECRET}', issuer: 'https://auth.example.org' };
  const { authorization, server, logins } = await start({ kind: 'oauth', ...secret });
  const shown: string[] = [];
  const signing = signInHere(server, {
    secret: async () => 'robots-secret',
    howToGive: () => '',
    logins,
    signal: AbortSignal.timeout(20_000),
    show: (url) => void shown.push(url),
  });
  await expect(signing).rejects.toThrow('cannot sign in to server "docs": ');
  expect({ shown, grants: authorization.grants }).toEqual({ shown: [], grants: [] });
});

test('no redirect takes a secret elsewhere, and an authorization server is sent no headers of the server', async () => {
  const taken: string[] = [];
  const elsewhere = await serveOnLoopback((request, response) => {
    taken.push(`elsewhere ${request.method}`);
    response.end('{}');
  });
  const authorization = await serveOnLoopback((request, response) => {
    if (request.headers['x-key'] !== undefined) taken.push(`headers ${request.url}`);
    if (request.method === 'POST') response.writeHead(307, { location: elsewhere.endpoint }).end();
    else {
      const issuer = `http://${request.headers.host}`;
      const endpoints = { authorization_endpoint: `${issuer}/in`, token_endpoint: `${issuer}/token` };
      const grants = { response_types_supported: ['code'], grant_types_supported: ['client_credentials'] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer, ...endpoints, ...grants }));
    }
  });
  onTestFinished(elsewhere.close);
  onTestFinished(authorization.close);
  const { url } = await startToolServer('both', async (request) =>
    request.url.includes('/.well-known/')
      ? Response.json({
          resource: `${new URL(request.url).origin}/mcp`,
          authorization_servers: [authorization.endpoint],
        })
      : new Response(null, { status: 401 }),
  );
  const auth: ServerAuth = { kind: 'client_credentials', clientId: 'robot', clientSecret: '${ROBOT_SECRET}' };
  const headers = { 'x-key': 'k' };
  const server = toolServer({ url }, { reach: { kind: 'url', url, headers, auth } });
  const { text } = await openToolServers({ ROBOT_SECRET: 'robots-secret' }).call(server, echo('a'));
  expect(taken).toEqual([]);
  expect(text).toMatch(/^Error: mcp__docs__echo failed - server "docs" does not answer: /);
});

test('what comes to the address of a sign-in can neither end the process nor act on the screen', async () => {
  const { server, logins } = await start({ kind: 'oauth' });
  const asked: Promise<number>[] = [];
  const ask = async (address: string) => (await fetch(address)).status;
  const signing = signInHere(server, {
    ...NO_SECRETS,
    logins,
    signal: AbortSignal.timeout(20_000),
    show(address) {
      const { searchParams } = new URL(address);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      const refused = { state: searchParams.get('state') ?? '', error_description: 'no\u001b[2J\u202e way' };
      const refusing = `${back.href}?${new URLSearchParams({ ...refused, error: 'access_denied' }).toString()}`;
      asked.push(ask(`${back.origin}//`).then(async (status) => (await ask(refusing), status)));
    },
  });
  await expect(signing).rejects.toThrow(/^it was refused: no\[2J way$/);
  expect(await Promise.all(asked)).toEqual([404]);
});

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLoginFiles } from '../../../src/places/local/login-files.ts';
import { NO_SECRETS } from '../../../src/core/records/secrets.ts';
import type { ServerAuth, ToolServer } from '../../../src/core/records/tool-server.ts';
import { signIn } from '../../../src/tools/mcp/client/sign-in.ts';
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
  isRepeatable: true,
  signal: AbortSignal.timeout(20_000),
});

test('a person signs in once, by a client that registers itself; tokens are renewed by one process for all, and are nobody else’s to read', async () => {
  const { authorization, server, folder, logins } = await start({ kind: 'oauth' });
  const before = openToolServers({}, logins);
  expect((await before.call(server, echo('a'))).text).toContain(
    'somebody has to sign in to server "docs": cadre mcp login <agent> docs',
  );
  const pages: Promise<string>[] = [];
  await signIn(server, {
    ...NO_SECRETS,
    logins,
    now: Date.now,
    signal: AbortSignal.timeout(20_000),
    show: (url) => void pages.push(authorization.signIn(url)),
  });
  expect(await Promise.all(pages)).toEqual(['You are signed in. You can close this page.']);
  const [file = ''] = await readdir(folder);
  expect([(await readdir(folder)).length, (await stat(join(folder, file))).mode & 0o777]).toEqual([1, 0o600]);
  const servers = openToolServers({}, logins);
  expect(await servers.call(server, echo('a'))).toMatchObject({ text: 'echo: a' });
  const given = await readFile(join(folder, file), 'utf8');
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

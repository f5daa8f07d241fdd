import { expect, test } from 'vitest';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { addressOf } from '../../../src/core/records/tool-server.ts';
import { runCommandLine } from '../../../src/doors/cli/command-line.ts';
import { mcpLogout } from '../../../src/doors/cli/commands/mcp-login.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { startSignInServer } from '../../fixtures/sign-in-server.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** A folder whose agent needs a sign-in to its server. */
function folderWith(url: string): Promise<string> {
  return tempFolder({
    'agents/top.toml': `name = "top"
model = "scripted/x"

[[mcp_servers]]
name = "docs"
url = "${url}"
auth = "oauth"
`,
  });
}

test('a person signs out of a server, whose tokens are revoked, and is told where they cannot be', async () => {
  const { server, signIn, instead } = await startSignInServer((own) => ({
    revocation_endpoint: `${own}/revoke`,
  }));
  const url = addressOf(server);
  const cwd = await folderWith(url);
  const revoked: unknown[] = [];
  const answers = [200, 200, 503];
  instead.set('/revoke', ({ token }) => {
    revoked.push(token);
    return { status: answers.shift() ?? 500, body: {} };
  });
  const { logins } = await localSources(recordedIo(cwd), undefined);
  const logout = async () => {
    const io = recordedIo(cwd);
    return { code: await mcpLogout('top', 'docs', {}, io), out: io.out, err: io.err };
  };

  await signIn(logins);
  expect(await logout()).toEqual({ code: 0, out: `signed out of docs (${url})\n`, err: '' });
  expect(revoked).toEqual(['refresh-ada-token-1', 'ada-token-1']);
  expect(await logins.read(url)).toBeUndefined();

  await signIn(logins);
  expect(await logout()).toEqual({
    code: 0,
    out: `signed out of docs (${url})\n`,
    err: 'Warning: its tokens stay valid until they end: its authorization server answers HTTP 503\n',
  });
  expect(await logout()).toEqual({ code: 0, out: `not signed in to docs (${url})\n`, err: '' });
});

test('Ctrl-C ends a sign-in that nobody goes through with', async () => {
  const { server } = await startSignInServer();
  const cwd = await folderWith(addressOf(server));
  const io = recordedIo(cwd);
  const stderr = (text: string) => {
    io.stderr(text);
    if (text.startsWith('Sign in at: ')) io.interrupt();
  };
  expect(await runCommandLine(['mcp', 'login', 'top'], { ...io, stderr })).toBe(130);
  expect(io.err.split('\n').slice(1)).toEqual(['Error: interrupted by the user', '']);
});

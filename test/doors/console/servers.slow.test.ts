import { expect } from 'vitest';
import { NO_SECRETS } from '../../../src/core/records/secrets.ts';
import { addressOf } from '../../../src/core/records/tool-server.ts';
import { folderSignIns } from '../../../src/places/local/folder-sign-ins.ts';
import { memoryLogins } from '../../fixtures/signing-in.ts';
import { startSignInServer } from '../../fixtures/sign-in-server.ts';
import { serveAgents, wallClock } from '../api/served-agents.ts';
import { findings } from './axe.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

browserTest('a person connects a server on the page, comes back to it, and disconnects it', async () => {
  const { server, issuer, taken } = await startSignInServer();
  const url = addressOf(server);
  const logins = memoryLogins();
  const served = await serveAgents(
    { kid: () => 'small' },
    { kid: `[[mcp_servers]]\nname = "wiki"\nurl = "${url}"\nauth = "oauth"\n` },
    {},
    wallClock,
    { signIns: folderSignIns(logins, NO_SECRETS, Date.now) },
  );
  const { page, faults } = await browsing.open(`${served.server.url}/#/servers`);
  const card = page.getByRole('region', { name: 'wiki' });
  await card.getByText('not connected', { exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  await card.getByRole('button', { name: 'Connect' }).click();
  await card.getByText('connected', { exact: true }).waitFor();
  expect(page.url()).toBe(`${served.server.url}/#/servers`);
  expect(await logins.read(url)).toMatchObject({ tokens: { access_token: 'ada-token-1' } });
  // What came back is nowhere in the history, and in no log.
  await page.goBack();
  expect(page.url()).not.toContain('code');
  await page.goForward();
  expect(served.requests.join()).not.toContain('code=');
  await card.getByRole('button', { name: 'Disconnect' }).click();
  await card.getByText('not connected', { exact: true }).waitFor();
  expect([await logins.read(url), taken]).toEqual([undefined, []]);
  // Only the browser's own way to the authorization server.
  expect(faults.filter((fault) => !fault.startsWith(`asked ${issuer}/authorize?`))).toEqual([]);
});

browserTest('what somebody else has begun is not ended by whose browser is led to it', async () => {
  const served = await serveAgents({ kid: () => 'small' }, {}, {}, wallClock, {
    signIns: folderSignIns(memoryLogins(), NO_SECRETS, Date.now),
  });
  const led = `${served.server.url}/oauth/callback?state="><script>alert(1)</script>&code=stolen`;
  const { page } = await browsing.open(led);
  await page.getByRole('alert').getByText('was not begun by you').waitFor();
  expect(page.url()).toBe(`${served.server.url}/#/servers`);
});

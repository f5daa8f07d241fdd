import { expect } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { browserTest, nightlyBrowserTest, useBrowser } from './browser.ts';
import { serveSignedIn } from './signed-in-server.ts';

const browsing = useBrowser();

browserTest('a person signs in with the issuer, and is back where the address led', async () => {
  const { server, post } = await serveAgents({ top: () => 'done' });
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'what is new?' } });
  const { url, issuer } = await serveSignedIn(server);
  const address = `#/runs/${String(body['run_id'])}`;
  const { page, faults } = await browsing.open(`${url}/${address}`);
  await page.getByText('top', { exact: true }).first().waitFor();
  expect(new URL(page.url())).toMatchObject({ origin: url, search: '', hash: address });
  expect(issuer.asked).toHaveLength(1);
  // The request without a token, and those to the issuer, are meant.
  const others = faults.filter(
    (fault) => !/401|Unauthorized/.test(fault) && !fault.startsWith(`asked ${issuer.url}/`),
  );
  expect(others).toEqual([]);
});

nightlyBrowserTest('a token that the API does not accept is not fetched again and again', async () => {
  const { server } = await serveAgents({ top: () => 'done' });
  const { url, issuer } = await serveSignedIn(server, { accepted: 'another' });
  const { page } = await browsing.open(url);
  await page.getByText('Your sign-in has expired, or the server does not accept it.').waitFor();
  expect(issuer.asked).toHaveLength(1);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Your sign-in has expired').waitFor();
  expect(issuer.asked).toHaveLength(2);
});

nightlyBrowserTest('a refusal of the issuer is shown', async () => {
  const { server } = await serveAgents({ top: () => 'done' });
  const refusal = { error: 'access_denied', error_description: 'Ada has no access' };
  const { url } = await serveSignedIn(server, { oddity: { refusal } });
  const { page } = await browsing.open(url);
  await page.getByText('You are not signed in: Ada has no access.').waitFor();
});

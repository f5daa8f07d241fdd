import { expect } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { findings } from './axe.ts';
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
  const { url, issuer } = await serveSignedIn(server, { accepts: () => false });
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

browserTest('a sign-in that the API no longer takes is renewed, and nobody notices', async () => {
  const { server } = await serveAgents({ top: () => 'done' });
  let refusals = 0;
  let asked = 0;
  const accepts = (token: string) => {
    asked += 1;
    const isRefused = token === '' || (asked > 8 && refusals === 0);
    if (isRefused && token !== '') refusals += 1;
    return !isRefused;
  };
  const { url, issuer } = await serveSignedIn(server, { oddity: { refreshes: true }, accepts });
  const { page } = await browsing.open(url);
  await page.getByText('größer').waitFor();
  await expect.poll(() => refusals).toBe(1);
  const before = asked;
  await expect.poll(() => asked).toBeGreaterThan(before + 4);
  expect(await page.getByText('Sign in again').count()).toBe(0);
  expect(issuer.asked).toHaveLength(1);
});

browserTest(
  'a sign-in that ends is made anew in a window beside, and what was being written stays',
  async () => {
    const { server } = await serveAgents({ top: () => 'done' });
    let isRefused = false;
    const accepts = (token: string) => token !== '' && !isRefused;
    const { url, issuer } = await serveSignedIn(server, { accepts });
    const { page } = await browsing.open(url);
    // The page can be used before it has left for the issuer, and is another one when it is back.
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.getByRole('button', { name: 'Start a run' }).click();
    const starting = page.getByRole('dialog', { name: 'Start a run' });
    await starting.getByLabel('What it is asked').fill('A long thought');
    isRefused = true;
    const asking = page.getByRole('dialog', { name: 'Sign in again' });
    await asking.getByText('Your sign-in has expired').waitFor();
    expect(await findings(page)).toEqual([]);
    // Put off, it waits in the page.
    await asking.getByRole('button', { name: 'Close' }).click();
    expect(await starting.getByLabel('What it is asked').inputValue()).toBe('A long thought');
    await starting.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Your sign-in has ended.').waitFor();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    isRefused = false;
    await asking.getByRole('button', { name: 'Sign in' }).click();
    // What it says, if it stays.
    await expect.poll(() => page.getByRole('dialog').allInnerTexts()).toEqual([]);
    expect(issuer.asked).toHaveLength(2);
    expect(await page.getByText('Your sign-in has ended.').count()).toBe(0);
  },
);

browserTest(
  'a sign-in that is about to end, and that the issuer does not renew, is told before',
  async () => {
    const { server } = await serveAgents({ top: () => 'done' });
    const { url } = await serveSignedIn(server, { oddity: { lasts: 120 } });
    const { page } = await browsing.open(url);
    await page.getByText(/^Your sign-in ends at \d/).waitFor();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
  },
);

browserTest('a person who signs out is out, and is not signed in again without being asked', async () => {
  const { server } = await serveAgents({ top: () => 'done' });
  const { url, issuer } = await serveSignedIn(server);
  const { page } = await browsing.open(url);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  expect(await page.evaluate('sessionStorage.getItem("cadre-session")')).toBe(null);
  expect(await findings(page)).toEqual([]);
  await page.reload();
  await page.getByText('You are signed out.').waitFor();
  expect(issuer.asked).toHaveLength(1);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
});

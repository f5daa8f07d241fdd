import { describe, expect } from 'vitest';
import { call } from '../../fixtures/stage.ts';
import { serveAgents } from '../api/served-agents.ts';
import { findings } from './axe.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

/** Runs of two agents, with tags, of which one has looked into a file. */
async function serveRuns() {
  const served = await serveAgents(
    {
      top: ({ turn }) => (turn === 1 ? [call('kid', 'look at volume 7')] : 'All is well'),
      kid: () => 'The newspapers of March are missing',
      odd: () => {
        throw new Error('nobody at home');
      },
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const start = async (agent: string, prompt: string, tags: Record<string, string>) =>
    String((await served.post(`/agents/${agent}/runs?wait=25`, { json: { prompt, tags } })).body['run_id']);
  const top = await start('top', 'Check the archive', { customer: 'acme', kind: 'audit' });
  await start('odd', 'Count the doors', { customer: 'acme' });
  return { ...served, top };
}

describe('the list of runs', () => {
  browserTest('finds runs by words of their trees, marks them, and leads to where they are', async () => {
    const { server, top } = await serveRuns();
    const { page, faults } = await browsing.open(`${server.url}/#/runs`);
    await page.getByText('Count the doors').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('MARCH newspapers');
    await page.locator('mark', { hasText: 'newspapers' }).waitFor();
    expect(await page.locator('mark').allInnerTexts()).toEqual(['newspapers', 'March']);
    expect(new URL(page.url()).hash).toBe('#/runs?text=MARCH+newspapers');
    await page.getByRole('link', { name: /^turn 1/ }).click();
    await page.getByRole('tree').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/runs/${top}/t1`);
    expect(faults).toEqual([]);
  });

  browserTest('is narrowed by tags, and filters are kept by name until they are deleted', async () => {
    const { server } = await serveRuns();
    const { page, faults } = await browsing.open(`${server.url}/#/runs?tag=customer%3Dacme&since=7d`);
    const items = page.getByRole('listitem');
    await items.nth(1).waitFor();
    await page.getByLabel('Tag').fill('kind=audit');
    await page.keyboard.press('Enter');
    await page.getByText('Count the doors').waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).toBe('#/runs?since=7d&tag=customer%3Dacme&tag=kind%3Daudit');
    await page.getByRole('button', { name: 'Save this filter' }).click();
    await page.keyboard.type('Audits of acme');
    await page.keyboard.press('Enter');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Count the doors').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Audits of acme' }).click();
    await page.getByText('Count the doors').waitFor({ state: 'detached' });
    expect(await items.count()).toBe(1);
    await page.getByRole('button', { name: 'Leave out kind=audit' }).click();
    await items.nth(1).waitFor();
    await page.getByRole('button', { name: 'Delete the filter Audits of acme' }).click();
    expect(await page.getByRole('link', { name: 'Audits of acme' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  browserTest('fits 360 pixels and 1,920, without anything cut off', async () => {
    const { server } = await serveRuns();
    const { page } = await browsing.open(`${server.url}/#/runs?text=look`);
    for (const width of [360, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole('listitem').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });
});

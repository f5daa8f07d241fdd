import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { latch, type Asked } from '../../fixtures/stage.ts';
import { findings } from './axe.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();
const hash = (page: Page) => new URL(page.url()).hash;

browserTest('keys lead everywhere, and are letters where a text is written', async () => {
  const { server, post } = await serveAgents({ top: () => 'done' });
  await post('/agents/top/runs?wait=25', { json: { prompt: 'first' } });
  await post('/agents/top/runs?wait=25', { json: { prompt: 'second' } });
  const { page, faults } = await browsing.open(`${server.url}/#/agents`);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page
    .getByRole('link', { name: 'Agents', exact: true })
    .and(page.locator('[aria-current=page]'))
    .waitFor();
  await press('g', 'r');
  await page.getByText('second').waitFor();
  expect(hash(page)).toBe('#/runs');
  await press('j', 'j', 'k', 'j');
  expect(await page.evaluate('document.activeElement.textContent')).toContain('first');
  await press('/');
  await page.keyboard.type('gh?n');
  expect(await page.getByRole('searchbox').inputValue()).toBe('gh?n');
  await press('Escape', '?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await press('Escape', 'n');
  await page.getByRole('dialog', { name: 'Start a run' }).waitFor();
  await press('Escape', 'g', 'h');
  await expect.poll(() => hash(page)).toBe('#/');
  expect(faults).toEqual([]);
});

browserTest('the palette finds views, agents, runs and what can be done in view', async () => {
  const working = latch();
  const { server, post } = await serveAgents({
    top: async ({ message }: Asked) => {
      if (message === 'stay') await working.opened;
      return 'done';
    },
    gardener: () => 'done',
  });
  await post('/agents/top/runs?wait=25', { json: { prompt: 'Plant an oak' } });
  const { body } = await post('/agents/top/runs', { json: { prompt: 'stay' } });
  const { page, faults } = await browsing.open(`${server.url}/#/runs/${String(body['run_id'])}`);
  await page.getByRole('button', { name: 'Stop…' }).waitFor();
  const find = async (words: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(words);
  };
  const chosen = page.getByRole('option', { selected: true });
  await find('stop');
  expect(await chosen.innerText()).toMatch(/Stop…\s+What to do with top/);
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Stop top?' }).waitFor();
  await page.keyboard.press('Escape');
  await find('oak');
  await page.getByRole('option', { name: /top: Plant an oak/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Task' }).waitFor();
  expect(hash(page)).not.toContain(String(body['run_id']));
  await find('gard');
  await page.getByRole('option', { name: /gardener/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => hash(page)).toBe('#/agents/gardener');
  await find('nothing of that name');
  await page.getByText('Nothing here has such a name.').waitFor();
  working.open();
  expect(faults).toEqual([]);
});

browserTest('a server that does not answer is told of, and the page goes on once it is back', async () => {
  const { server, post } = await serveAgents({ top: () => 'done' });
  const { page } = await browsing.open(`${server.url}/#/runs`);
  await page.getByText('There is no run yet').waitFor();
  await page.context().setOffline(true);
  await page.getByText('The server does not answer. What you see may be old').waitFor();
  await post('/agents/top/runs?wait=25', { json: { prompt: 'meanwhile' } });
  await page.context().setOffline(false);
  await page.getByText('meanwhile').waitFor();
  await page.getByText('What you see may be old').waitFor({ state: 'detached' });
});

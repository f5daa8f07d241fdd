import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { latch, use, type Asked } from '../../fixtures/stage.ts';
import { sample } from '../../fixtures/nightly.ts';
import { findings } from './axe.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();
const section = (page: Page, name: string) => page.getByRole('region', { name });

const LOOKS = sample(2, [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  { colorScheme: 'light', viewport: { width: 800, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 1920, height: 1080 } },
] as const);

for (const look of LOOKS) {
  const name = `${look.colorScheme}, ${look.viewport.width} px wide`;
  browserTest(
    `home shows what waits, failed, runs and was spent, and answers in place: ${name}`,
    async () => {
      const working = latch();
      const { server, post } = await serveAgents(
        {
          asker: ({ turn, results }: Asked) =>
            turn === 1
              ? [use('ask_user', { question: 'Red or blue?', choices: ['red', 'blue'] })]
              : results.join(),
          busy: async () => {
            await working.opened;
            return 'done';
          },
          broken: () => {
            throw new Error('no such thing');
          },
        },
        { asker: 'description = "Asks"\ntools = ["ask_user"]\npatience = "1h"\n' },
      );
      await post('/agents/busy/runs', { json: { prompt: 'Take your time' } });
      await post('/agents/broken/runs?wait=25', { json: { prompt: 'Break' } });
      await post('/agents/asker/runs', { json: { prompt: 'Ask me' } });
      const { page, faults } = await browsing.open(server.url, look);
      await section(page, 'At work now').getByText('Take your time').waitFor();
      await section(page, 'Failed since your last visit').getByText('no such thing').waitFor();
      await section(page, 'Last 14 days').getByRole('cell', { name: 'broken' }).waitFor();
      await section(page, 'Agents').getByRole('heading', { name: 'busy' }).waitFor();
      const question = section(page, 'Needs you').getByRole('button', { name: 'blue' });
      await question.waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await question.click();
      await section(page, 'Needs you').getByText('Nothing waits for a person.').waitFor();
      await section(page, 'Failed since your last visit')
        .getByRole('button', { name: 'Mark as seen' })
        .click();
      await section(page, 'Failed since your last visit').getByText('Nothing has failed since').waitFor();
      working.open();
      await section(page, 'At work now').getByText('No agent is at work.').waitFor();
      expect(faults).toEqual([]);
    },
  );
}

browserTest('a part whose request fails says so by itself, and tries again', async () => {
  const { server, post } = await serveAgents({ top: () => 'done' });
  await post('/agents/top/runs?wait=25', { json: { prompt: 'x' } });
  const { page } = await browsing.open(`${server.url}/#/runs`);
  let isBroken = true;
  await page.route(/\/agents$/, async (route) =>
    isBroken ? route.fulfill({ status: 500, json: { detail: 'a disk is full' } }) : route.continue(),
  );
  // Keys count once the page is drawn.
  await page.locator('main [data-line]').first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  for (const name of ['Agents', 'Start a run']) {
    await section(page, name).getByText('a disk is full').waitFor();
  }
  await section(page, 'At work now').getByText('No agent is at work.').waitFor();
  expect(await findings(page)).toEqual([]);
  isBroken = false;
  for (const name of ['Agents', 'Start a run']) {
    await section(page, name).getByRole('button', { name: 'Try again' }).click();
  }
  await section(page, 'Agents').getByRole('link', { name: 'top' }).waitFor();
  await section(page, 'Start a run').getByLabel('What it is asked').waitFor();
});

browserTest(
  'a place where nothing has run shows agents at work with one click, and how to go on',
  async () => {
    const { server } = await serveAgents(
      {},
      {},
      {
        'agents/digest.toml': 'name = "digest"\nmodel = "offline/extractive"\nsub_agents = ["facts"]\n',
        'agents/facts.toml': 'name = "facts"\nmodel = "offline/extractive"\n',
      },
    );
    const { page, faults } = await browsing.open(server.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('heading', { name: 'Nothing has run here yet' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: /^Copy npx cadre agents init/ }).click();
    await page.getByRole('button', { name: /^Copied npx cadre agents init/ }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npx cadre agents init helper');
    await page.getByRole('button', { name: 'Run digest' }).click();
    await page.getByRole('treeitem', { name: /^digest succeeded/ }).waitFor();
    await page.getByRole('treeitem', { name: /^facts succeeded/ }).waitFor();
    expect(faults).toEqual([]);
  },
);

browserTest('a place with agents of its own shows one that needs no key', async () => {
  const files = { 'agents/hello.toml': 'name = "hello"\nmodel = "offline/extractive"\n' };
  const { server } = await serveAgents({}, {}, files);
  const { page } = await browsing.open(server.url);
  await page.getByRole('button', { name: 'Run hello' }).click();
  await page.getByRole('treeitem', { name: /^hello succeeded/ }).waitFor();
});

browserTest("home tells how much of today's limits is gone", async () => {
  const { server, post } = await serveAgents({ top: () => 'x' });
  await post('/agents/top/runs?wait=25', { json: { prompt: 'x' } });
  const { page, faults } = await browsing.open(server.url);
  await page.route('**/costs?*', async (route) => {
    const response = await route.fetch();
    const limits = [
      { key: 'usd_per_day', of: 'all agents', limit_usd: 2, used_usd: 1.7 },
      { key: 'usd_per_owner_per_day', of: 'all agents for "ann"', limit_usd: 1, used_usd: 1 },
    ];
    await route.fulfill({ response, json: { ...(await response.json()), limits } });
  });
  await page.reload();
  const spending = section(page, 'Last 14 days');
  await spending.getByText('$1.70 of $2.00 today (UTC) for all agents').waitFor();
  await spending
    .getByText('$1.00 of $1.00 today (UTC) for all agents for "ann": nothing new is started')
    .waitFor();
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
});

browserTest('a run is started from its agent with a file that it is about', async () => {
  const { server, post } = await serveAgents({
    top: () => 'x',
    other: ({ message }: Asked) => `heard: ${message}`,
  });
  await post('/agents/top/runs?wait=25', { json: { prompt: 'x' } });
  const { page } = await browsing.open(server.url);
  await page.getByRole('button', { name: 'Start other' }).click();
  await page.keyboard.type('What is this?');
  await page.getByLabel(/^Texts, images and PDFs/).setInputFiles([
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('All about gold') },
    { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0xff, 0xfe]) },
  ]);
  await page.getByText('photo.png is neither a text nor a PNG, JPEG, GIF or WebP image or a PDF').waitFor();
  await page.getByText('notes.md 14 characters').waitFor();
  // Anywhere on the form is good enough to drop another.
  const dropped = await page.evaluateHandle(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['Silver'], 'more.txt'));
    return dataTransfer;
  })()`);
  await page.getByLabel('What it is asked').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText('more.txt 6 characters').waitFor();
  await page.getByRole('button', { name: 'Leave out more.txt' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Start', exact: true }).click();
  await page
    .getByText(/heard: [^]*All about gold/)
    .first()
    .waitFor();
});

/** How many pixels the page is wider than its window. */
async function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

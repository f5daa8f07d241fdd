import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { call, latch, use } from '../../fixtures/stage.ts';
import { serveAgents } from '../api/served-agents.ts';
import { sample } from '../../fixtures/nightly.ts';
import { findings } from './axe.ts';
import { browserTest, nightlyBrowserTest, useBrowser } from './browser.ts';
import { keep, syntheticTree } from '../../fixtures/synthetic-tree.ts';

const browsing = useBrowser();
const START = Date.parse('2026-01-01T09:00:00Z');

/** A server with a tree of so many agents that has ended. */
async function serveTree(agents: number) {
  const { server, stage } = await serveAgents({ top: () => '' });
  const tree = syntheticTree(agents, START);
  await keep(tree, stage.pipeline.store);
  return { url: `${server.url}/#/runs/${tree.top}`, server, tree };
}

const rowsOf = (page: Page) => page.getByRole('treeitem');
/** A row as it is read out. */
const spoken = async (row: Locator) => /"(.*)"/.exec(await row.ariaSnapshot())?.[1];
const activeRow = async (page: Page) => {
  const id = await page.getByRole('tree').getAttribute('aria-activedescendant');
  return spoken(page.locator(`[id="${id}"]`));
};

browserTest('the page shows a run with the agents in it, and what they said', async () => {
  const { server, post } = await serveAgents(
    { top: ({ turn }) => (turn === 1 ? [call('kid', 'dig')] : 'done'), kid: () => 'gold' },
    { top: 'sub_agents = ["kid"]\n' },
  );
  await post('/agents/top/runs?wait=25', { json: { prompt: 'Find gold' } });
  const { page, faults } = await browsing.open(`${server.url}/#/runs`);
  await page.getByRole('listitem').getByRole('link').click();
  await page.getByRole('treeitem', { name: /^kid succeeded dig/ }).click();
  await page.getByText('gold', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

describe('the list of runs', () => {
  browserTest('shows each run with what its tree came to, and can be narrowed', async () => {
    const { server, post } = await serveAgents(
      {
        top: ({ turn }) => (turn === 1 ? [call('kid', 'dig')] : 'done'),
        kid: () => 'gold',
        other: () => 'x',
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    await post('/agents/top/runs?wait=25', { json: { prompt: 'Find gold' } });
    await post('/agents/other/runs?wait=25', { json: { prompt: 'Rest' } });
    const { page, faults } = await browsing.open(`${server.url}/#/runs`);
    const items = page.getByRole('listitem');
    await items.nth(1).waitFor();
    expect(await items.nth(1).innerText()).toMatch(/top succeeded\s+Find gold[^]*2 agents[^]*43 tokens/);
    await page.getByLabel('Words').fill('rest');
    await page.getByText('Find gold').waitFor({ state: 'detached' });
    expect(await items.count()).toBe(1);
    // The way back from a run leads to the same list.
    await items.first().getByRole('link').click();
    await page.getByRole('tree').waitFor();
    await page.goBack();
    await items.filter({ hasText: 'Rest' }).waitFor();
    expect(await page.getByLabel('Words').inputValue()).toBe('rest');
    expect(await items.count()).toBe(1);
    await page.getByLabel('Agent').selectOption('top');
    await page.getByText('There is no such run.').waitFor();
    expect(faults).toEqual([]);
  });

  browserTest('says of an answer that it was refused or cut, and what can be done', async () => {
    const { server, post } = await serveAgents({
      coy: () => ({ text: '', stopReason: 'refusal' }),
      wordy: () => ({ text: 'And', stopReason: 'max_tokens' }),
    });
    await post('/agents/coy/runs?wait=25', { json: { prompt: 'x' } });
    await post('/agents/wordy/runs?wait=25', { json: { prompt: 'x' } });
    const { page, faults } = await browsing.open(`${server.url}/#/runs`);
    await page.getByText('succeeded, but its model refused to answer').waitFor();
    await page.getByText('succeeded, but its answer was cut at its limit of tokens').click();
    await page.getByText('Write to it to have the rest, or raise max_tokens in its file.').waitFor();
    expect(faults).toEqual([]);
  });

  nightlyBrowserTest('goes on with older runs, and takes in new ones by itself', async () => {
    const { server, stage, post } = await serveAgents({ top: () => '' });
    for (let index = 0; index < 25; index++) {
      await keep(syntheticTree(1, START + index), stage.pipeline.store);
    }
    const { page } = await browsing.open(`${server.url}/#/runs`);
    const items = page.getByRole('listitem');
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await items.nth(24).waitFor();
    await post('/agents/top/runs?wait=25', { json: { prompt: 'Something new' } });
    await page.getByText('Something new').waitFor();
    expect(await items.count()).toBe(26);
  });
});

describe('a tree', () => {
  browserTest('has only the agents in sight in the document, and scrolls through all of them', async () => {
    const { url } = await serveTree(1000);
    const { page, faults } = await browsing.open(url);
    await rowsOf(page).first().waitFor();
    expect(await rowsOf(page).count()).toBeLessThan(60);
    expect(await page.locator('.waterfall .bar-of').count()).toBeLessThan(60);
    await page.getByRole('tree').press('End');
    await expectActive(page, /^worker succeeded worker: look into part t1c24_/);
    expect(await rowsOf(page).count()).toBeLessThan(60);
    expect(faults).toEqual([]);
  });

  nightlyBrowserTest('is walked, folded and opened with the keyboard', async () => {
    const { url, tree } = await serveTree(60);
    const { page } = await browsing.open(url);
    const keys = page.getByRole('tree');
    await rowsOf(page).first().waitFor();
    await keys.press('ArrowDown');
    expect(await activeRow(page)).toMatch(/^coordinator succeeded/);
    const first = page.locator('[aria-level="2"]').first();
    expect(await first.getAttribute('aria-expanded')).toBe('true');
    await keys.press('ArrowLeft');
    expect(await first.getAttribute('aria-expanded')).toBe('false');
    await keys.press('ArrowLeft');
    expect(await activeRow(page)).toMatch(/^lead succeeded/);
    await keys.press('ArrowRight');
    await keys.press('ArrowRight');
    expect(await first.getAttribute('aria-expanded')).toBe('true');
    await keys.press('ArrowRight');
    expect(await activeRow(page)).toMatch(/^worker succeeded/);
    await keys.press('Enter');
    await page.waitForURL(/\/agents\//);
    expect(page.url()).toBe(`${url}/agents/${tree.runs[2]?.id}`);
    await keys.press('Home');
    expect(await activeRow(page)).toMatch(/^lead/);
  });

  browserTest('adds up tokens and dollars, and tells them apart from those of each agent alone', async () => {
    const { url } = await serveTree(60);
    const { page } = await browsing.open(url);
    expect(await spoken(rowsOf(page).first())).toBe(
      'lead succeeded lead: look into part one to all of the report ' +
        '2,150 tokens, 126,850 tokens with those below, $0.49, 10 min, ' +
        'agents below it 8 min 28 s, its model 1 min 0 s, people 30 s, own work 2.0 s',
    );
  });

  browserTest('has what each agent and its whole tree took beside its bar, 1280 px wide', async () => {
    const { url } = await serveTree(60);
    const { page } = await browsing.open(url, { viewport: { width: 1280, height: 800 } });
    const figures = rowsOf(page).first().locator('.figure');
    await figures.first().waitFor();
    expect(await figures.allInnerTexts()).toEqual([
      '127k\nown 2.1k',
      '$0.49\nown $0.0083',
      '10 min\nown 1:32 min',
    ]);
    for (const figure of await figures.all()) expect(await figure.isVisible()).toBe(true);
    expect((await page.locator('.bar-of').first().boundingBox())?.width).toBeGreaterThan(100);
  });

  nightlyBrowserTest('of 3,000 agents is searched and walked to its end', async () => {
    const { url } = await serveTree(3_000);
    const { page, faults } = await browsing.open(url);
    await rowsOf(page).first().waitFor();
    await page.getByRole('searchbox').fill('no answer');
    await page.getByText('95 of 3,000 agents').waitFor();
    await page.getByRole('tree').press('End');
    await expectActive(page, /^worker/);
    expect(await rowsOf(page).count()).toBeLessThan(60);
    expect(faults).toEqual([]);
  });

  nightlyBrowserTest('opens the agent whose bar is clicked', async () => {
    const { url, tree } = await serveTree(60);
    const { page } = await browsing.open(url);
    const run = tree.runs[3]?.id ?? '';
    await page.locator(`.bar-of[data-run="${run}"] .span-tool`).click();
    await page.waitForURL(/\/agents\//);
    expect(page.url()).toBe(`${url}/agents/${run}`);
    expect(await page.locator(`[id="row-${run}"]`).getAttribute('aria-selected')).toBe('true');
  });

  browserTest('tells apart what agents spent their time on, by colour, pattern and words', async () => {
    const { url, tree } = await serveTree(60);
    const { page } = await browsing.open(url);
    const bar = page.locator(`.bar-of[data-run="${tree.top}"]`);
    await bar.waitFor();
    expect(await bar.locator('title').textContent()).toBe(
      'lead: 10 min 0 s\nagents below it 8 min 28 s, its model 1 min 0 s, people 30 s, own work 2.0 s',
    );
    const fills = await bar
      .locator('path')
      .evaluateAll((paths) =>
        paths.map((path) => path.ownerDocument.defaultView?.getComputedStyle(path).fill),
      );
    expect(new Set(fills).size).toBe(4);
    expect(fills).toContain('url("#span-person")');
    const legend = page.getByRole('list', { name: 'What the bars mean' });
    await legend.getByText('tools').waitFor();
  });

  browserTest('on a narrow screen is one step, and the agent that is opened in it the next', async () => {
    const { url } = await serveTree(60);
    const { page, faults } = await browsing.open(url, { viewport: { width: 390, height: 844 } });
    const detail = page.getByRole('region', { name: 'Selected agent' });
    await rowsOf(page).nth(2).waitFor();
    expect(await detail.isVisible()).toBe(false);
    await rowsOf(page).nth(2).click();
    await detail.getByRole('heading', { name: 'worker' }).waitFor();
    expect(await rowsOf(page).first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'All agents of this run' }).click();
    await rowsOf(page).nth(2).waitFor();
    expect(await detail.isVisible()).toBe(false);
    expect(faults).toEqual([]);
  });

  browserTest('leads to failures and to what is searched, also where they are folded away', async () => {
    const { url } = await serveTree(1000);
    const { page } = await browsing.open(url);
    await page.getByRole('button', { name: 'Fold all' }).click();
    await page.getByRole('button', { name: /Next failure \(31\)/ }).click();
    await expectActive(page, /^worker server: no answer in time · failed/);
    const search = page.getByRole('searchbox');
    await search.fill('NO ANSWER');
    await page.getByText('31 of 1,000 agents').waitFor();
    await search.fill('part t1c24_t1c7 ');
    await page.getByText('1 of 1,000 agents').waitFor();
    await search.press('Enter');
    await expectActive(page, /^worker succeeded worker: look into part t1c24_t1c7 of/);
  });

  browserTest('that is not there is said to be missing', async () => {
    const { server } = await serveTree(1);
    const { page } = await browsing.open(`${server.url}/#/runs/top-nothing`);
    expect(await page.getByRole('alert').innerText()).toBe('no run "top-nothing"');
  });
});

async function expectActive(page: Page, label: RegExp): Promise<void> {
  await expect.poll(() => activeRow(page)).toMatch(label);
}

describe('a run at work', () => {
  browserTest('is followed until it ends: new agents, what each waits for, and what it came to', async () => {
    const working = latch();
    const { server, post } = await serveAgents(
      {
        top: ({ turn }) =>
          turn === 1
            ? [call('kid', 'dig')]
            : turn === 2
              ? [use('ask_user', { question: 'Deeper?' })]
              : 'done',
        async kid() {
          await working.opened;
          throw new Error('no gold');
        },
      },
      { top: 'sub_agents = ["kid"]\ntools = ["ask_user"]\npatience = "1h"\n' },
    );
    const top = String((await post('/agents/top/runs')).body['run_id']);
    const { page, faults } = await browsing.open(`${server.url}/#/runs/${top}`);
    await page.getByRole('treeitem', { name: /^top waits for kid/ }).waitFor();
    await page.getByRole('treeitem', { name: /^kid thinks dig/ }).waitFor();
    working.open();
    await page.getByRole('treeitem', { name: /^kid .*no gold.* · failed/ }).waitFor();
    await page.getByRole('treeitem', { name: /^top 1 failed call waits for an answer from you/ }).waitFor();
    await page.getByText('2 agents: 1 at work, 1 waiting for you, 1 failed').waitFor();
    const ofPerson = page.locator('.bar-of .span-person');
    await ofPerson.waitFor();
    await post(`/runs/${top}/questions/t2c1/answer`, { json: { text: 'no' } });
    await page.getByRole('treeitem', { name: /^top 1 failed call succeeded, although kid failed/ }).waitFor();
    // What it waited for stays so.
    expect(await ofPerson.count()).toBe(1);
    expect(faults).toEqual([]);
  });

  browserTest('who has answered is shown to wait for an agent in the background', async () => {
    const working = latch();
    const { server, post } = await serveAgents(
      {
        top: ({ turn }) => (turn === 1 ? [call('kid', 'dig')] : turn === 2 ? 'in between' : 'done'),
        async kid() {
          await working.opened;
          return 'gold';
        },
      },
      { top: 'sub_agents = ["kid"]\n[sub_agents_config]\nbackground = "always"\n' },
    );
    const top = String((await post('/agents/top/runs')).body['run_id']);
    const { page, faults } = await browsing.open(`${server.url}/#/runs/${top}`);
    await page.getByRole('treeitem', { name: /^top has answered, and waits for kid/ }).waitFor();
    working.open();
    await page.getByRole('treeitem', { name: /^top succeeded/ }).waitFor();
    await page.getByRole('treeitem', { name: /^kid idle/ }).waitFor();
    expect(faults).toEqual([]);
  });
});

describe('every caller is let in', () => {
  const looks = sample(1, [
    { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
    { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
    { colorScheme: 'light', viewport: { width: 360, height: 740 } },
    { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  ] as const);

  for (const look of looks) {
    const name = `${look.colorScheme}, ${look.viewport.width} px wide`;
    browserTest(`axe finds nothing, and nothing is cut off: ${name}`, async () => {
      const { url, server } = await serveTree(120);
      const { page } = await browsing.open(`${server.url}/#/runs`, look);
      await page.getByRole('listitem').first().waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.goto(url);
      await rowsOf(page).first().waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      await page.getByRole('searchbox').fill('t1c3');
      await page.getByRole('button', { name: /Next failure/ }).click();
      expect(await findings(page)).toEqual([]);
    });
  }
});

/** How many pixels the page is wider than its window. */
async function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

browserTest('a server that asks for a token gets it, from a form or once from the address', async () => {
  const token = 'a-token-of-our-own';
  const { server } = await serveAgents({ top: () => '' }, {}, {}, undefined, { token });
  const { page } = await browsing.open(`${server.url}/#/runs`);
  await page.getByLabel('Token').fill('a guess');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The server does not accept the token that you gave.').waitFor();
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('There is no run yet.').waitFor();
  const { page: other } = await browsing.open(`${server.url}/#token=${token}`);
  await other.getByText('Nothing has run here yet').waitFor();
  expect(other.url()).toBe(`${server.url}/#/`);
});

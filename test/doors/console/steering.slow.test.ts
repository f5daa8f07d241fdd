import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { serveAgents, type Served } from '../api/served-agents.ts';
import { call, latch, silence, use, type Asked } from '../../fixtures/stage.ts';
import { findings } from './axe.ts';
import { browserTest, nightlyBrowserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

async function start({ post }: Served, prompt = 'go'): Promise<string> {
  return String((await post('/agents/top/runs', { json: { prompt } })).body['run_id']);
}

async function open({ server }: Served, run: string) {
  const opened = await browsing.open(`${server.url}/#/runs/${run}`);
  const detail = opened.page.getByRole('region', { name: 'Selected agent' });
  await detail.getByRole('heading', { name: 'Task' }).waitFor();
  return { ...opened, detail };
}

const focused = (page: Page) => page.evaluate('document.activeElement?.textContent');

/** Waits until the page shows what has come of everything before. */
const drawn = (page: Page) =>
  page.evaluate('new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))');

describe('the page', () => {
  browserTest('starts a run with its limits, and shows it', async () => {
    const served = await serveAgents(
      { top: ({ message }: Asked) => `heard: ${message}`, other: () => '' },
      { top: 'description = "Hears."\n[budget]\nmax_tokens = 5000\n' },
      { 'agents/broken.toml': 'name = "broken"\nmodle = "x/y"\n' },
    );
    const { page, faults } = await browsing.open(`${served.server.url}/#/runs`);
    await page.getByRole('button', { name: 'Start a run' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start a run' });
    await dialog.getByLabel('Agent').selectOption('top');
    await dialog.getByText('Hears.').waitFor();
    await dialog.getByText(/broken cannot start: broken\.toml/).waitFor();
    await dialog.getByLabel('What it is asked').fill('Is anybody there?');
    await dialog.getByText('Model and limits').click();
    await dialog.getByLabel('Tokens (at most 5000)').fill('4000');
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Start a run' }).click();
    expect(await dialog.getByLabel('What it is asked').inputValue()).toBe('Is anybody there?');
    await dialog.getByLabel('Agent').selectOption('top');
    await dialog.getByText('Model and limits').click();
    await dialog.getByLabel('Tokens (at most 5000)').fill('4000');
    await dialog.getByLabel('Model').fill('no/such-model');
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByText('model must be stage/top; it is no/such-model').waitFor();
    await dialog.getByLabel('Model').fill('');
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('heard: Is anybody there?').waitFor();
    await page.getByRole('button', { name: 'Budget…' }).click();
    await page.getByText('Used: 11 of 4,000 tokens.').waitFor();
    // The browser writes refusals of requests to its console.
    expect(faults).toEqual([expect.stringContaining('400 (Bad Request)')]);
  });

  nightlyBrowserTest('collects questions of all trees, and answers them', async () => {
    const served = await serveAgents(
      {
        top: ({ turn, results }: Asked) =>
          turn === 1
            ? [use('ask_user', { question: 'Which one?', choices: ['red', 'blue'] })]
            : turn === 2
              ? [use('ask_user', { question: 'And why?' })]
              : `because ${results.join()}`,
      },
      { top: 'tools = ["ask_user"]\ntimeout = 60\n' },
    );
    const run = await start(served);
    const { page, faults } = await browsing.open(`${served.server.url}/#/runs`);
    await page.getByRole('button', { name: 'Questions 1' }).click();
    expect(await page.title()).toMatch(/^\(1\) /);
    const inbox = page.getByRole('dialog', { name: 'What agents ask' });
    await inbox.getByText('Which one?').waitFor();
    expect(await findings(page)).toEqual([]);
    await inbox.getByRole('button', { name: 'blue' }).click();
    await inbox.getByText('And why?').waitFor();
    await inbox.getByRole('link', { name: 'Go to the agent' }).click();
    const detail = page.getByRole('region', { name: 'Selected agent' });
    await detail.getByText('And why?').first().waitFor();
    await detail.getByLabel('Your answer').fill('it is calm');
    await detail.getByRole('button', { name: 'Answer' }).click();
    await detail.getByText('because it is calm').waitFor();
    await page.getByRole('button', { name: 'Questions', exact: true }).waitFor();
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
    expect((await served.get(`/runs/${run}/result`)).body).toMatchObject({ status: 'succeeded' });
    expect(faults).toEqual([]);
  });

  browserTest('approves calls, denies them, changes their arguments, and approves the rest', async () => {
    const served = await serveAgents(
      {
        top: ({ turn, results }: Asked) =>
          turn === 1
            ? ['a', 'b', 'c', 'd'].map((path) =>
                use('write_file', { path, content: `${path} `.repeat(12_000) }),
              )
            : results.join('\n'),
      },
      { top: 'tools = ["files"]\nmode = "ask"\ntimeout = 60\npermissions = { deny = ["write_file(x)"] }\n' },
    );
    const { page, detail, faults } = await open(served, await start(served));
    await detail.getByRole('heading', { name: 'top wants to use write_file' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await detail.getByRole('button', { name: 'Approve', exact: true }).click();
    await detail.getByText('Allow write_file: b?').waitFor();
    await detail.getByRole('button', { name: 'Deny…' }).click();
    await detail.getByLabel('Why not').fill('no b, please');
    await detail.getByRole('button', { name: 'Deny', exact: true }).click();
    await detail.getByText('Allow write_file: c?').waitFor();
    await detail.getByRole('button', { name: 'Change arguments…' }).click();
    const path = detail.getByRole('textbox', { name: 'path', exact: true });
    expect(await path.inputValue()).toBe('c');
    expect(await findings(page)).toEqual([]);
    await path.fill('x');
    await detail.getByRole('button', { name: 'Approve with these' }).click();
    await detail.getByText(/is denied by the rule write_file\(x\)/).waitFor();
    await path.fill('c');
    await detail.getByRole('button', { name: 'As JSON' }).click();
    const json = detail.getByLabel('Arguments, as JSON');
    // Whole, however much of them the question shows.
    expect(JSON.parse(await json.inputValue())).toEqual({ path: 'c', content: 'c '.repeat(12_000) });
    await json.fill('{"path": "c"');
    await detail.getByText(/^This is not JSON/).waitFor();
    await json.fill('["c"]');
    await detail.getByText('Arguments are a JSON object').waitFor();
    expect(await findings(page)).toEqual([]);
    await json.fill('{"path": "other", "content": "short"}');
    await detail.getByRole('button', { name: 'Approve with these' }).click();
    await detail.getByText('Allow write_file: d?').waitFor();
    await detail.getByRole('button', { name: 'Approve write_file for the rest of the run' }).click();
    await detail
      .getByText(/was denied by the user: no b, please/)
      .first()
      .waitFor();
    await detail.getByText('created "other" (5 bytes)').waitFor();
    await detail.getByText('write_file', { exact: true }).nth(2).click();
    await detail.getByRole('group', { name: 'Changed arguments' }).waitFor();
    expect(faults).toEqual([expect.stringContaining('400 (Bad Request)')]);
  });

  browserTest('stops a run once that is confirmed, and resumes it', async () => {
    const goOn = latch();
    let isFirst = true;
    const served = await serveAgents(
      {
        top: async (asked: Asked) => {
          if (!isFirst) return 'done after all';
          isFirst = false;
          goOn.open();
          return silence(asked);
        },
      },
      { top: 'timeout = 600\n' },
    );
    const { page, detail, faults } = await open(served, await start(served));
    await goOn.opened;
    // The server's answer comes later than what the tree tells, and is from before it.
    const isShown = latch();
    await page.route('**/stop', async (route) => {
      const response = await route.fetch();
      await isShown.opened;
      await route.fulfill({ response });
    });
    await detail.getByRole('button', { name: 'Stop…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Stop top?' });
    expect(await findings(page)).toEqual([]);
    // A person who comes back by Escape can open it again at once: the browser says later that it was closed.
    await page.evaluate(
      "addEventListener('focusin', ({ target }) => queueMicrotask(() => target.click()), { once: true })",
    );
    await page.keyboard.press('Escape');
    await drawn(page);
    expect(await dialog.isVisible()).toBe(true);
    // By keyboard, Escape changes nothing and leads back.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Stop…');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Stop' }).press('Enter');
    await detail.getByText('stopped through the API').waitFor();
    const resume = await detail.getByRole('button', { name: 'Resume', exact: true }).elementHandle();
    const isRead = page.waitForResponse(/tree$/);
    isShown.open();
    await (await isRead).finished();
    await drawn(page);
    // It is the same button all the time.
    await resume?.click();
    await detail.getByText('done after all').waitFor();
    expect(faults).toEqual([]);
  });

  browserTest('says no longer that a run goes on that was resumed, and has failed once more', async () => {
    let fails = 0;
    const served = await serveAgents({
      top() {
        fails += 1;
        throw new Error(`broken ${fails}`);
      },
    });
    const { page, detail } = await open(served, await start(served));
    await detail.getByText('broken 1').first().waitFor();
    await detail.getByRole('button', { name: 'Resume', exact: true }).click();
    await detail.getByText('broken 2').first().waitFor();
    await drawn(page);
    await detail.getByText('Going on.').waitFor({ state: 'detached' });
  });

  nightlyBrowserTest('kills an agent below the top, and says what the server refuses', async () => {
    const atWork = latch();
    const served = await serveAgents(
      {
        top: ({ turn, results }: Asked) => (turn === 1 ? [call('kid', 'dig')] : `heard: ${results.join()}`),
        kid: (asked: Asked) => {
          atWork.open();
          return silence(asked);
        },
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const run = await start(served);
    const { page, detail, faults } = await open(served, run);
    await atWork.opened;
    await detail.getByRole('link', { name: 'Go to kid' }).click();
    await detail.getByRole('heading', { name: 'kid', level: 2 }).waitFor();
    await detail.getByRole('button', { name: 'Kill…' }).click();
    await page.getByRole('dialog', { name: 'Kill kid?' }).getByRole('button', { name: 'Kill' }).click();
    await detail
      .getByText(/killed by a person/)
      .first()
      .waitFor();
    await detail
      .getByText(/^. killed/)
      .first()
      .waitFor();
    await detail.getByText('Nothing brings it back.').waitFor();
    await detail.getByLabel('Message to kid').fill('hello?');
    await detail.getByRole('button', { name: 'Send' }).click();
    await detail.getByText(/was killed; nothing reaches it any more/).waitFor();
    expect((await served.get(`/runs/${run}/result?wait=25`)).body).toMatchObject({ status: 'succeeded' });
    expect(faults).toEqual([expect.stringContaining('409 (Conflict)')]);
  });

  browserTest('forks an agent that has answered, and gives the copy a task', async () => {
    const served = await serveAgents({
      top: ({ told }: Asked) => (told.includes('another way') ? 'the other way' : 'one way'),
    });
    const { page, detail, faults } = await open(served, await start(served));
    await detail.getByText('one way').waitFor();
    await detail.getByRole('button', { name: 'Fork', exact: true }).click();
    await detail.getByRole('heading', { name: 'top-fork', level: 2 }).waitFor();
    expect(await findings(page)).toEqual([]);
    await detail.getByLabel('Message to top-fork').fill('try another way');
    await detail.getByRole('button', { name: 'Send' }).click();
    await detail.getByText('the other way').waitFor();
    expect(faults).toEqual([]);
  });

  nightlyBrowserTest('writes to an agent that has answered, after adding to its budget', async () => {
    const served = await serveAgents(
      { top: ({ told }: Asked) => (told === 'and now?' ? 'now this' : 'first that') },
      { top: '[budget]\nmax_tokens = 20000\n' },
    );
    const { page, detail, faults } = await open(served, await start(served));
    await detail.getByText('first that').waitFor();
    await detail.getByRole('button', { name: 'Budget…' }).click();
    const budget = page.getByRole('dialog', { name: 'Budget of the whole tree' });
    await budget.getByLabel('More tokens').fill('500');
    await budget.getByRole('button', { name: 'Add' }).click();
    await budget.getByText('of 20,500 tokens').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await detail.getByLabel('Message to top').fill('and now?');
    await detail.getByRole('button', { name: 'Send' }).click();
    await detail.getByText('now this').waitFor();
    await detail.getByRole('heading', { name: 'Told' }).waitFor();
    expect(faults).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { HOSTILE_TEXTS, hugeTexts } from '../../fixtures/hostile-texts.ts';
import { STRIDE } from '../../fixtures/nightly.ts';
import { call, use, type Asked } from '../../fixtures/stage.ts';
import { browserTest, nightlyBrowserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

/** So many texts in one run. */
const TOGETHER = 21;
const BATCHES = Array.from({ length: Math.ceil(HOSTILE_TEXTS.length / TOGETHER) }, (_, batch) =>
  HOSTILE_TEXTS.slice(batch * TOGETHER, (batch + 1) * TOGETHER),
);

const TOML = {
  top: 'tools = ["files", "ask_user"]\nsub_agents = ["kid"]\npatience = "1h"\ntimeout = 600\n',
};

/** An agent that writes each of these in every way in which agents write, and last asks a person. */
function writes(texts: readonly string[]) {
  return {
    top({ turn }: Asked) {
      const text = texts[turn - 1];
      if (text !== undefined) {
        const path = `${turn}.txt`;
        return { text, calls: [use('write_file', { path, content: text, [text]: text }), call('kid', text)] };
      }
      if (turn === texts.length + 1) {
        return [
          use('read_file', { path: '1.txt' }),
          use('ask_user', { question: texts.join('\n\n'), choices: texts.slice(0, 3) }),
        ];
      }
      return texts.join('\n\n');
    },
    kid({ message }: Asked) {
      if (message.length % 3 === 0) throw new Error(message);
      return message;
    },
  };
}

/** Opens and scrolls through everything in the conversation, so that all of it is drawn. */
async function showAll(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (const details of document.querySelectorAll('.detail details')) details.open = true;
    for (const element of document.querySelectorAll('.detail .turn, .detail .rich, .detail .code-block')) {
      element.scrollIntoView({ block: 'center' });
      await new Promise(requestAnimationFrame);
    }
  })()`);
}

/** What a text could have done to the page. */
function harm(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const all = [...document.body.querySelectorAll('*')];
    const foreign = 'audio, base, embed, frame, iframe, img, link, math, meta, object, portal, script, style, template, video';
    const texts = [...document.querySelectorAll(':is(.rich, .text, .written, summary, .changed, .diff) *')];
    const attributes = texts.flatMap((element) => [...element.attributes].map(({ name }) => name));
    const links = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href'));
    return {
      ran: [window.hacked, {}.hacked],
      elements: [...document.body.querySelectorAll(foreign)].map(({ outerHTML }) => outerHTML),
      attributes: [...new Set(attributes)].filter((name) => /^(on|style$|src|id$|name$)/.test(name)),
      links: links.filter((href) => !/^(#\\/|https?:\\/\\/|mailto:)/.test(href ?? '')),
      ids: all.map(({ id }) => id).filter((id) => /proto|cookie|document|page.+/.test(id)),
      isTitled: /Cadre/.test(document.title),
      isAsWide: document.documentElement.scrollWidth === innerWidth,
      ground: getComputedStyle(document.body).backgroundColor,
    };
  })()`);
}

const UNHARMED = {
  ran: [undefined, undefined],
  elements: [],
  attributes: [],
  links: [],
  ids: [],
  isTitled: true,
  isAsWide: true,
  ground: 'rgb(246, 246, 244)',
};

/** Shows them at every place where the page shows a text. */
async function showEverywhere(texts: readonly string[]): Promise<void> {
  const { server, post } = await serveAgents(writes(texts), TOML);
  const { body } = await post('/agents/top/runs', { json: { prompt: texts.join('\n\n') } });
  const run = String(body['run_id']);
  const { page, faults } = await browsing.open(`${server.url}/#/runs/${run}`);
  const detail = page.getByRole('region', { name: 'Selected agent' });
  await detail.getByRole('heading', { name: 'top asks' }).waitFor();
  await showAll(page);
  await detail.getByRole('button', { name: 'Show its conversation here' }).first().click();
  await detail
    .getByRole('region', { name: 'Conversation of kid' })
    .getByRole('heading', { name: 'Task' })
    .waitFor();
  expect(await harm(page)).toEqual(UNHARMED);
  await page
    .getByRole('button', { name: /^Questions/ })
    .first()
    .click();
  await page.getByRole('dialog').locator('.choices button').first().waitFor();
  expect(await harm(page)).toEqual(UNHARMED);
  await page.keyboard.press('Escape');
  await page.goto(`${server.url}/#/runs`);
  await page.getByRole('main').getByRole('listitem').first().waitFor();
  expect(await harm(page)).toEqual(UNHARMED);
  expect(faults).toEqual([]);
}

for (const [index, texts] of BATCHES.entries()) {
  const isShown = index % STRIDE === 0 ? browserTest : nightlyBrowserTest;
  const numbers = `${index * TOGETHER + 1} to ${index * TOGETHER + texts.length}`;
  isShown(`hostile texts ${numbers} run, load and restyle nothing, wherever they are shown`, () =>
    showEverywhere(texts),
  );
}

nightlyBrowserTest('texts of a hundred thousand characters leave the page at work', async () => {
  const texts = hugeTexts(99_000);
  const { server, post } = await serveAgents(
    {
      top: ({ turn }: Asked) =>
        turn <= texts.length
          ? { text: texts[turn - 1] ?? '', calls: [use('list_directory', { path: '.' })] }
          : 'done',
    },
    { top: 'tools = ["files"]\ntimeout = 600\n' },
  );
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'w'.repeat(1_000_000) } });
  const { page, faults } = await browsing.open(`${server.url}/#/runs/${String(body['run_id'])}`);
  await page.getByRole('list', { name: 'Turns' }).getByText('done', { exact: true }).last().waitFor();
  await showAll(page);
  expect(await harm(page)).toEqual(UNHARMED);
  expect(faults).toEqual([]);
});

import { serve } from '@hono/node-server';
import { proxy } from 'hono/proxy';
import { Hono } from 'hono/tiny';
import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { call, latch, use, type Asked } from '../../fixtures/stage.ts';
import { keep, syntheticTree } from '../../fixtures/synthetic-tree.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

const WORD = 'w'.repeat(3_000);
const HOSTILE = [
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
  'javascript:alert(1) http://example.org/"onmouseover="window.hacked=1 https://example.org/?a=<b>&c',
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u0000 \u202egnp.exe\u202c \u{1f468}\u200d\u{1f469}\u200d\u{1f467} \ud800',
  WORD,
].join('\n');

const detailOf = (page: Page) => page.getByRole('region', { name: 'Selected agent' });

async function expectUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  const { widest, window: width } = await page.evaluate<{ widest: number; window: number }>(
    '({ widest: document.documentElement.scrollWidth, window: innerWidth })',
  );
  expect(widest).toBe(width);
}

describe('what agents, tools and people write', () => {
  browserTest('is text: it runs nothing, hides nothing and breaks nothing', async () => {
    const { server, post } = await serveAgents(
      {
        top: ({ turn }: Asked) => {
          if (turn === 1)
            return [use('write_file', { path: 'a.html', content: HOSTILE }), call('kid', HOSTILE)];
          if (turn === 2) {
            return [use('read_file', { path: 'a.html' }), use('read_file', { path: `${HOSTILE}.txt` })];
          }
          if (turn === 3) return [use('ask_user', { question: HOSTILE, choices: [HOSTILE, 'no'] })];
          return HOSTILE;
        },
        kid: () => {
          throw new Error(HOSTILE);
        },
      },
      { top: 'tools = ["files", "ask_user"]\nsub_agents = ["kid"]\npatience = "1h"\n' },
    );
    const { body } = await post('/agents/top/runs', { json: { prompt: HOSTILE } });
    const run = String(body['run_id']);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 360, height: 740 },
    ]) {
      const { page, faults } = await browsing.open(`${server.url}/#/runs/${run}`, { viewport });
      // Where there is room for one of them alone, the tree comes before its agents.
      await page.getByRole('treeitem', { name: /^top/ }).click();
      await detailOf(page).getByRole('heading', { name: 'top asks' }).waitFor();
      await detailOf(page).getByText('[U+202E]gnp.exe[U+202C]').first().waitFor();
      for (const summary of await detailOf(page).locator('.call summary').all()) await summary.click();
      const links = await page
        .locator('a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      expect(links.filter((href) => !/^(#|https?:\/\/example\.org\/)/.test(href ?? ''))).toEqual([]);
      await expectUnharmed(page);
      await page.getByRole('button', { name: 'Questions 1' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'no', exact: true }).waitFor();
      await expectUnharmed(page);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Cadre' }).click();
      await page.getByRole('listitem').first().waitFor();
      await expectUnharmed(page);
      expect(faults).toEqual([]);
    }
  });

  browserTest('of ten megabytes is shown piece by piece', async () => {
    const { server, post } = await serveAgents({ top: () => `${'word '.repeat(2_000_000)}the end` });
    const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
    const { page, faults } = await browsing.open(`${server.url}/#/runs/${String(body['run_id'])}`);
    await page.getByRole('button', { name: 'Show more of 10,000,007 characters' }).click();
    await page.getByRole('button', { name: 'Show more of 10,000,007 characters' }).click();
    await expect
      .poll(async () => (await page.locator('.message.assistant .text').innerText()).length)
      .toBe(400_001);
    expect(faults).toEqual([]);
  });
});

describe('an address', () => {
  browserTest('that leads nowhere says so, and asks the server nothing', async () => {
    const { server } = await serveAgents({ top: () => '' });
    for (const place of [
      'runs/%E0%A4%A',
      'runs/..%2F..%2Fagents',
      'runs/a/agents/%00',
      'javascript:alert(1)',
    ]) {
      const { page, faults } = await browsing.open(`${server.url}/#/${place}`);
      await page.getByRole('alert').getByRole('link', { name: 'All runs' }).click();
      await page.getByText('There is no run yet.').waitFor();
      expect(faults).toEqual([]);
    }
  });

  browserTest('of an agent that is not in the run says so', async () => {
    const { server, stage } = await serveAgents({ top: () => '' });
    const tree = syntheticTree(3, Date.parse('2026-01-01T09:00:00Z'));
    await keep(tree, stage.pipeline.store);
    const { page } = await browsing.open(`${server.url}/#/runs/${tree.top}/agents/somebody-else`);
    await page.getByText('There is no agent “somebody-else” in this run.').waitFor();
  });
});

describe('a server', () => {
  browserTest('that goes away and comes back is told, waited for, and asked again', async () => {
    const goOn = latch();
    const { server, post } = await serveAgents({
      top: async () => {
        await goOn.opened;
        return 'after all';
      },
    });
    const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
    const door = await openDoor(server.url);
    const { page } = await browsing.open(`${door.url}/#/runs/${String(body['run_id'])}`);
    await page.getByRole('treeitem', { name: /^top thinks/ }).waitFor();
    await door.close();
    await page.getByText('The server does not answer. What you see may be old').waitFor();
    goOn.open();
    await door.open();
    await page.getByRole('treeitem', { name: /^top succeeded/ }).waitFor();
    await page.getByText('after all').waitFor();
    await page.getByText('The server does not answer').waitFor({ state: 'detached' });
  });

  browserTest('whose answers are brief is asked again and again, until the run ends', async () => {
    const steps = [latch(), latch(), latch()];
    const { server, post } = await serveAgents(
      {
        top: async ({ turn }: Asked) => {
          await steps[turn - 1]?.opened;
          return turn < 3 ? [call('kid', `part ${turn}`)] : 'done';
        },
        kid: () => 'gold',
      },
      { top: 'sub_agents = ["kid"]\n' },
    );
    const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
    const door = await openDoor(server.url);
    const { page, faults } = await browsing.open(`${door.url}/#/runs/${String(body['run_id'])}`);
    await page.getByRole('treeitem', { name: /^top thinks/ }).waitFor();
    for (const [index, step] of steps.entries()) {
      step.open();
      const what = index < 2 ? new RegExp(`^kid succeeded part ${index + 1}`) : /^top succeeded/;
      await page.getByRole('treeitem', { name: what }).waitFor();
    }
    // After the end nothing is asked for any more.
    await expect.poll(() => door.followings.at(-1)).toBe(204);
    expect(faults).toEqual([]);
  });
});

browserTest('of two people who answer the same question, the later one is told', async () => {
  const { server, post } = await serveAgents(
    {
      top: ({ turn, results }: Asked) =>
        turn === 1 ? [use('ask_user', { question: 'Which?', choices: ['red', 'blue'] })] : results.join(),
    },
    { top: 'tools = ["ask_user"]\ntimeout = 60\n' },
  );
  const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const run = String(body['run_id']);
  const { page } = await browsing.open(`${server.url}/#/runs/${run}`);
  const blue = detailOf(page).getByRole('button', { name: 'blue' });
  await blue.waitFor();
  await page.route('**/answer', async (route) => {
    await post(`/runs/${run}/questions/t1c1/answer`, { json: { choice: 'red' } });
    await route.continue();
  });
  await blue.click();
  await page.getByRole('alert').filter({ hasText: 'Your answer was not taken: ' }).waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
  await page.getByText('Your answer was not taken').waitFor({ state: 'detached' });
});

/** A server in front of another that can go away, and that ends each stream with its first piece, as API Gateway does. */
async function openDoor(behind: string) {
  /** The status of each answer to followers of a tree. */
  const followings: number[] = [];
  const app = new Hono();
  app.get('/runs/:run/tree/events', async (c) => {
    const ending = new AbortController();
    const last = c.req.header('last-event-id');
    const { pathname } = new URL(c.req.url);
    const response = await fetch(behind + pathname, {
      signal: AbortSignal.any([ending.signal, c.req.raw.signal]),
      ...(last !== undefined && { headers: { 'last-event-id': last } }),
    });
    followings.push(response.status);
    if (response.body === null) return new Response(null, { status: response.status });
    let text = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.includes('data:') && text.endsWith('\n\n')) break;
    }
    ending.abort();
    const brief = text.replace(/^retry: .*$/m, 'retry: 100');
    return new Response(brief, { headers: { 'content-type': 'text/event-stream' } });
  });
  app.all('*', (c) => {
    const { pathname, search } = new URL(c.req.url);
    return proxy(behind + pathname + search, { raw: c.req.raw, headers: {} });
  });
  let port = 0;
  let server: ReturnType<typeof serve> | undefined;
  const open = async () => {
    const opened = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
    if (!opened.listening) await once(opened, 'listening');
    const address = opened.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    server = opened;
  };
  const close = async () => {
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
    server = undefined;
    await closed;
  };
  await open();
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, followings, open, close };
}

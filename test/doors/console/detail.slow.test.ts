import { describe, expect } from 'vitest';
import { serveAgents, wallClock, type Setting } from '../api/served-agents.ts';
import { hookServer, hookTables } from '../../fixtures/hook-server.ts';
import { call, latch, use, type Asked } from '../../fixtures/stage.ts';
import { findings } from './axe.ts';
import { browserTest, nightlyBrowserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

/** A run of "top", which has ended, and a page that shows it. */
async function openRun(
  roles: Parameters<typeof serveAgents>[0],
  toml: string,
  prompt = 'go',
  options?: Parameters<typeof browsing.open>[1],
  setting?: Setting,
) {
  const served = await serveAgents(roles, { top: toml }, {}, wallClock, setting);
  const { body } = await served.post('/agents/top/runs?wait=25', { json: { prompt } });
  const run = String(body['run_id']);
  const { page, faults } = await browsing.open(`${served.server.url}/#/runs/${run}`, options);
  const detail = page.getByRole('region', { name: 'Selected agent' });
  await detail.getByRole('heading', { name: 'Task' }).waitFor();
  return { ...served, run, page, faults, detail };
}

describe("a run's conversation", () => {
  browserTest(
    'has calls with arguments and results, edits as lines, and failures with what they mean',
    async () => {
      const { page, faults, detail } = await openRun(
        {
          top: ({ turn }: Asked) => {
            if (turn === 1) return [use('write_file', { path: 'a.txt', content: 'one\ntwo\nthree' })];
            if (turn === 2)
              return [use('read_file', { path: 'a.txt' }), use('read_file', { path: 'gone.txt' })];
            if (turn === 3) {
              return [use('edit_file', { path: 'a.txt', old_string: 'one\ntwo', new_string: 'one\n2' })];
            }
            return 'All is <b>well</b>: see https://example.org/it.';
          },
        },
        'tools = ["files"]\nsystem_prompt = "Be brief."\n',
      );
      // Failed calls are open.
      expect(await detail.getByText('there is no file or folder "gone.txt"').isVisible()).toBe(true);
      await detail.getByText('Refused. The model reads why and can try again differently.').waitFor();
      await detail.getByText('edit_file', { exact: true }).click();
      const changes = detail.getByRole('group', { name: 'Changes of a.txt' });
      expect(((await changes.textContent()) ?? '').split('\n').filter((line) => line !== '')).toEqual([
        ' one',
        '-removed: two',
        '+added: 2',
      ]);
      await detail.getByText('read_file', { exact: true }).first().click();
      await detail.getByText('3: three').or(detail.getByText('three')).first().waitFor();
      // Models' output is text, and nothing but addresses of the web is a link.
      await detail.getByText('All is <b>well</b>: see https://example.org/it.').waitFor();
      const link = detail.getByRole('link', { name: 'https://example.org/it' });
      expect(await link.getAttribute('href')).toBe('https://example.org/it');
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
      await detail.getByText('Setup: parameters, tools, system prompt').click();
      await detail.getByText('Be brief.').waitFor();
      expect(await findings(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  browserTest('says what hooks decided about a call and about an answer', async () => {
    const { url } = await hookServer(({ on }) =>
      on === 'before_call'
        ? { decision: 'deny', reason: 'not here' }
        : { decision: 'replace', text: 'hidden' },
    );
    const hooks = { check: 'on = "before_call"', gate: 'on = "before_answer"' };
    const { detail, faults } = await openRun(
      {
        top: ({ turn }: Asked) => (turn === 1 ? [use('write_file', { path: 'a', content: 'a' })] : 'secret'),
      },
      `tools = ["files"]\n${hookTables(hooks)}`,
      'go',
      {},
      { lambdaEndpoint: url },
    );
    const decided = detail.locator('.hooks li');
    await decided.nth(1).waitFor();
    expect(await decided.allTextContents()).toEqual([
      'Hook "check" denied it: not here',
      'Hook "gate" replaced it',
    ]);
    expect(faults).toEqual([]);
  });

  nightlyBrowserTest('opens an agent that a call started in place, or as the selected one', async () => {
    const { page, faults, detail } = await openRun(
      {
        top: ({ turn }: Asked) => (turn === 1 ? [call('kid', 'dig')] : 'done'),
        kid: ({ turn }: Asked) => (turn === 1 ? [call('mole', 'deeper')] : 'gold'),
        mole: () => 'a nugget',
      },
      'sub_agents = ["kid"]\n',
    );
    await detail.getByRole('button', { name: 'Show its conversation here' }).click();
    const kid = detail.getByRole('region', { name: 'Conversation of kid' });
    await kid.getByText('gold').waitFor();
    expect(await findings(page)).toEqual([]);
    await detail.getByRole('link', { name: 'Go to kid' }).click();
    await detail.getByRole('heading', { name: 'kid', level: 2 }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('kid');
    expect(faults).toEqual([]);
  });

  browserTest(
    'shows tasks and answers whole, as the Markdown that they are or as they are written',
    async () => {
      const lines = Array.from({ length: 40 }, (_, index) => `- item ${index + 1}`);
      const { page, detail, faults } = await openRun(
        { top: () => '# All *read*\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```json\n{ "a": 1 }\n```' },
        '',
        lines.join('\n'),
        { permissions: ['clipboard-read', 'clipboard-write'] },
      );
      const task = detail.locator('.message.user').first();
      await task.locator('li').nth(39).getByText('item 40').waitFor();
      await task.getByRole('button', { name: 'Raw' }).click();
      expect(await task.locator('.text').innerText()).toBe(lines.join('\n'));
      await task.getByRole('button', { name: 'Copy task' }).click();
      await task.getByText('Copied').first().waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(lines.join('\n'));
      await detail.getByRole('heading', { name: 'All read', level: 4 }).waitFor();
      expect(await detail.getByRole('group', { name: 'Table' }).locator('td').allInnerTexts()).toEqual([
        '1',
        '2',
      ]);
      await detail.locator('.code-block').scrollIntoViewIfNeeded();
      await detail.locator('.hljs-attr', { hasText: '"a"' }).waitFor();
      await detail.getByRole('button', { name: 'Copy code' }).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('{ "a": 1 }');
      expect(await findings(page)).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  nightlyBrowserTest(
    'has what agents below it have used, and which of them are done, while it waits',
    async () => {
      const goOn = latch();
      const served = await serveAgents(
        {
          top: ({ turn }: Asked) => (turn === 1 ? [call('quick', 'a'), call('slow', 'b')] : 'done'),
          quick: () => ({ text: 'here', usage: { inputTokens: 1_000, outputTokens: 10 }, stopReason: 'end' }),
          slow: async () => {
            await goOn.opened;
            return 'at last';
          },
        },
        { top: 'sub_agents = ["quick", "slow"]\n' },
      );
      const { body } = await served.post('/agents/top/runs', { json: { prompt: 'go' } });
      const { page, faults } = await browsing.open(`${served.server.url}/#/runs/${String(body['run_id'])}`);
      const detail = page.getByRole('region', { name: 'Selected agent' });
      await detail.locator('summary', { hasText: 'call_agent quick done' }).waitFor();
      await detail.locator('summary', { hasText: 'call_agent slow under way' }).waitFor();
      await detail.getByText(/^2 turns · 2 tool calls · 1,0\d\d tokens in/).waitFor();
      goOn.open();
      await detail.getByText(/^4 turns/).waitFor();
      expect(faults).toEqual([]);
    },
  );

  nightlyBrowserTest('folds long arguments and results alone, and fetches them whole', async () => {
    const { detail, faults } = await openRun(
      {
        top: ({ turn }: Asked) => {
          if (turn === 1)
            return [use('write_file', { path: 'long.md', content: `${'line\n'.repeat(2_000)}the end` })];
          if (turn === 2) return [use('run_command', { command: 'yes line | head -n 2000; echo last line' })];
          return `${'words '.repeat(2_000)}at last`;
        },
      },
      'tools = ["files", "run_command"]\n',
      `${'please '.repeat(1_000)}now`,
    );
    await detail.getByText('please now').waitFor();
    await detail.getByText('words at last').waitFor();
    await detail.getByText('write_file', { exact: true }).click();
    await detail.getByRole('button', { name: /^Cut here\. Show all/ }).click();
    await detail.getByText('added: the end').waitFor();
    await detail.getByText('run_command', { exact: true }).click();
    expect(await detail.getByText('last line').count()).toBe(0);
    await detail.getByRole('button', { name: /^Show all 10,0\d\d characters/ }).click();
    await detail.locator('.text', { hasText: 'last line' }).waitFor();
    expect(faults).toEqual([]);
  });

  browserTest('has changed arguments beside those that were asked, with who changed them', async () => {
    const served = await serveAgents(
      {
        top: ({ turn }: Asked) =>
          turn === 1 ? [use('write_file', { path: 'a.txt', content: 'wrong' })] : '**Written**',
      },
      { top: 'tools = ["files"]\npatience = "1h"\npermissions = { ask = ["write_file"] }\n' },
    );
    const { body } = await served.post('/agents/top/runs', { json: { prompt: 'go' } });
    const run = String(body['run_id']);
    const { page, faults } = await browsing.open(`${served.server.url}/#/runs/${run}`);
    const detail = page.getByRole('region', { name: 'Selected agent' });
    await detail.getByText('write_file', { exact: true }).click();
    await detail
      .getByText(/^denied at \d\d:\d\d( on .+)? unless somebody answers$/)
      .last()
      .waitFor();
    const changed = { path: 'a.txt', content: 'right' };
    await served.post(`/runs/${run}/questions/t1c1/answer`, {
      json: { choice: 'approve', arguments: changed },
    });
    await detail.locator('strong', { hasText: 'Written' }).waitFor();
    const table = detail.getByRole('group', { name: 'Changed arguments' });
    expect(
      await table
        .locator('tr')
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))),
    ).toEqual([
      ['Argument', 'Asked by the model', 'Changed by a person, and carried out'],
      ['path', 'a.txt', 'the same'],
      ['content', 'wrong', 'right'],
    ]);
    expect(await findings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  browserTest(
    'of many turns begins with the task and the newest, and has those between on demand',
    async () => {
      const { detail, faults } = await openRun(
        {
          top: ({ turn }: Asked) =>
            turn < 45 ? { text: `step ${turn}`, calls: [use('list_directory', { path: '.' })] } : 'arrived',
        },
        'tools = ["files"]\n',
      );
      await detail.getByText('arrived').waitFor();
      await detail.getByText('step 21', { exact: true }).waitFor();
      expect(await detail.getByText('step 20', { exact: true }).count()).toBe(0);
      await detail.getByRole('button', { name: 'Show more of the 19 turns before turn 21' }).click();
      await detail.getByText('step 2', { exact: true }).waitFor();
      expect(await detail.getByRole('button', { name: /^Show more/ }).count()).toBe(0);
      expect(faults).toEqual([]);
    },
  );

  browserTest('shows what a model is writing, and what it wrote', async () => {
    const [isWatched, goOn] = [latch(), latch()];
    const roles = {
      top: async ({ turn, onDelta }: Asked) => {
        // Of a turn that has begun, nothing is told to those who come later.
        if (turn === 1) {
          await isWatched.opened;
          return [use('list_directory', { path: '.' })];
        }
        const writing = setInterval(() => onDelta?.({ type: 'text', text: 'word by word ' }), 50);
        await goOn.opened;
        clearInterval(writing);
        return 'That is all.';
      },
    };
    const { server, post } = await serveAgents(roles, { top: 'tools = ["files"]\n' });
    const { body } = await post('/agents/top/runs', { json: { prompt: 'write' } });
    const { page, faults } = await browsing.open(`${server.url}/#/runs/${String(body['run_id'])}`);
    await page.getByRole('heading', { name: 'Task' }).waitFor();
    isWatched.open();
    await page.getByText('is writing turn 2').waitFor();
    await page.getByText('word by word').waitFor();
    goOn.open();
    await page.getByText('That is all.').waitFor();
    await page.getByText('is writing turn 2').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  nightlyBrowserTest('fits a narrow screen, and dark colours', async () => {
    const { page, detail, faults } = await openRun(
      {
        top: ({ turn }: Asked) =>
          turn === 1 ? [use('read_file', { path: `${'a'.repeat(300)}.txt` })] : 'x'.repeat(500),
      },
      'tools = ["files"]\n',
      'go',
      { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
    );
    await detail.getByText('What went wrong').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await findings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

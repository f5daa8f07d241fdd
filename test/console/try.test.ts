import { test } from 'vitest';
import { serveAgents } from '../api/served-agents.ts';
import { call, latch, use, type Asked } from '../fixtures/stage.ts';
import { useBrowser } from "./browser.ts";
import { findings } from "./findings.ts";

const browsing = useBrowser();
test('try', async () => {
  const goOn = latch();
  const served = await serveAgents(
    {
      top: async ({ turn, onDelta }: Asked) => {
        if (turn === 1)
          return [
            use('write_file', { path: 'a.txt', content: 'one\ntwo\nthree\n' }),
            use('read_file', { path: 'nothing.txt' }),
            call('kid', 'dig', 'deep'),
          ];
        if (turn === 2) return [use('read_file', { path: 'a.txt' })];
        if (turn === 3)
          return [
            use('edit_file', { path: 'a.txt', old_string: 'one\ntwo', new_string: 'one\n2' }),
            use('ask_user', { question: 'Which one? See https://example.org/x.', choices: ['red', 'blue'] }),
          ];
        const writing = setInterval(() => onDelta?.({ type: 'text', text: 'I am just writing. ' }), 100);
        await goOn.opened;
        clearInterval(writing);
        return 'done <b>bold</b>';
      },
      kid: () => 'gold',
    },
    { top: 'tools = ["files", "ask_user"]\nsub_agents = ["kid"]\nsystem_prompt = "Be brief."\n' },
  );
  const { page, faults } = await browsing.open(served.server.url);
  await page.getByRole('button', { name: 'Start a run' }).click();
  await page.getByRole('dialog').getByLabel('Agent').selectOption('top');
  await page.getByLabel('What it is asked').fill('go');
  await page.screenshot({ path: '/tmp/shot-start.png' });
  console.log('start', await findings(page));
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { name: 'top asks' }).waitFor({timeout: 8000}).catch(() => {}); console.log(faults);
  await page.screenshot({ path: '/tmp/shot-detail.png', fullPage: true });
  console.log('detail', await findings(page));
  await page.getByRole('button', { name: 'Show its conversation here' }).click();
  await page.getByRole('button', { name: /Questions/ }).click();
  await page.screenshot({ path: '/tmp/shot-inbox.png' });
  console.log('inbox', await findings(page));
  await page.getByRole('dialog').getByRole('button', { name: 'blue' }).click();
  await page.getByText('Nobody asks anything.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('I am just writing').first().waitFor();
  await page.screenshot({ path: '/tmp/shot-writing.png', fullPage: true });
  goOn.open();
  await page.getByText('done <b>bold</b>').waitFor();
  await page.screenshot({ path: '/tmp/shot-done.png', fullPage: true });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.screenshot({ path: '/tmp/shot-360.png', fullPage: true });
});

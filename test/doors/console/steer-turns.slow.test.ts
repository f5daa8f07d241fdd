import { describe, expect } from 'vitest';
import { serveAgents, type Served } from '../api/served-agents.ts';
import { use, type Asked } from '../../fixtures/stage.ts';
import { findings } from './axe.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

async function run({ get, post }: Served, prompt: string): Promise<string> {
  const id = String((await post('/agents/top/runs', { json: { prompt } })).body['run_id']);
  await get(`/runs/${id}/result?wait=25`);
  return id;
}

/** Looks into a folder twice, and answers with all that it was told last. */
const looksTwice = ({ turn, told }: Asked) =>
  turn <= 2 ? [use('glob', { pattern: `*.${turn}` })] : `heard: ${told}`;

describe('a turn', () => {
  browserTest('is where a link to it opens, marked, on a phone too', async () => {
    const served = await serveAgents({ top: looksTwice }, { top: 'tools = ["files"]\nmode = "auto"\n' });
    const id = await run(served, 'Look around');
    const { page, faults } = await browsing.open(`${served.server.url}/#/runs/${id}/t2c1`, PHONE);
    const call = page.locator('[aria-current="location"]');
    await call.getByText('*.2').first().waitFor();
    await expect
      .poll(async () => (await call.boundingBox())?.y ?? -1)
      .toSatisfy((y: number) => y >= 0 && y < 700);
    expect(await call.locator('details').first().getAttribute('open')).not.toBe(null);
    await call.getByRole('button', { name: 'Copy link to call 1 of turn 2' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.evaluate(`location.hash = '#/runs/${id}/t1'`);
    await page.locator('li[aria-current="location"]').getByText('*.1').first().waitFor();
    expect(faults).toEqual([]);
  });

  browserTest('is made anew with other words, and compared with its origin', async () => {
    const served = await serveAgents({ top: looksTwice }, { top: 'tools = ["files"]\nmode = "auto"\n' });
    const id = await run(served, 'Look around');
    const { page, faults } = await browsing.open(`${served.server.url}/#/runs/${id}`);
    const turns = page.getByRole('list', { name: 'Turns' });
    await turns.getByText('turn 3').waitFor();
    await turns.getByRole('button', { name: 'Fork from here…' }).nth(2).click();
    const dialog = page.getByRole('dialog', { name: 'Fork from turn 3' });
    await dialog.getByLabel('An instruction to add').fill('be brief');
    expect(await findings(page)).toEqual([]);
    await dialog.getByLabel('Model').fill('no/such-model');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await dialog.getByText('model must be stage/top; it is no/such-model').waitFor();
    await dialog.getByLabel('Model').fill('');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await page.getByText('heard: be brief').first().waitFor();
    await page.getByText('turn 3 of another run').waitFor();
    await page.getByRole('link', { name: 'Compare with its origin' }).click();
    await page.getByText('2 turns at the beginning in common').waitFor();
    await page.getByRole('row', { name: 'Turns 3 1 −2' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show what is different' }).click();
    await page.getByRole('group', { name: 'Changes of the answer' }).getByText('heard: be brief').waitFor();
    const { body } = await served.get('/runs');
    expect(body['runs']).toMatchObject([{ forked_from: { run_id: id, turn: 3 } }, { run_id: id }]);
    expect(faults).toEqual([expect.stringContaining('400 (Bad Request)')]);
  });

  browserTest(
    'begins with the words that it was made for, without the text that they are about',
    async () => {
      const served = await serveAgents({ top: ({ message }: Asked) => message });
      const { body } = await served.post('/agents/top/runs?wait=25', {
        json: { prompt: 'Sum up', context: 'a long text' },
      });
      const { page } = await browsing.open(`${served.server.url}/#/runs/${String(body['run_id'])}`);
      await page.getByRole('button', { name: 'Fork from here…' }).click();
      const words = page.getByLabel('What it is told');
      await expect.poll(() => words.inputValue()).toBe('Sum up');
      await words.fill('Translate');
      await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click();
      await page.getByText('Translate').first().waitFor();
      await expect
        .poll(async () => JSON.stringify((await served.get('/runs?limit=1')).body['runs']))
        .toContain('"status":"succeeded"');
      const { body: list } = await served.get('/runs?limit=1');
      const [, copy] = /"run_id":"([\w-]+)"/.exec(JSON.stringify(list)) ?? [];
      expect((await served.get(`/runs/${copy}/result`)).body['content']).toBe(
        'Translate\n\nContext:\na long text',
      );
    },
  );
});

describe('runs in the list', () => {
  browserTest('are picked, and compared', async () => {
    const served = await serveAgents({ top: ({ message }: Asked) => message });
    for (const prompt of ['one', 'two']) await run(served, prompt);
    const { page } = await browsing.open(`${served.server.url}/#/runs`, PHONE);
    const picks = page.getByRole('checkbox', { name: 'Pick this run of top to compare it' });
    await picks.first().check();
    await page.getByText('Pick another run to compare it with.').waitFor();
    await picks.nth(1).check();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Compare these two' }).click();
    await page.getByRole('region', { name: 'Answer of A' }).getByText('one').waitFor();
    await page.getByRole('region', { name: 'Answer of B' }).getByText('two').waitFor();
    expect(await findings(page)).toEqual([]);
  });
});

describe('approvals', () => {
  browserTest('that are alike are answered together, each with an outcome of its own', async () => {
    const served = await serveAgents(
      {
        top: ({ turn, results }: Asked) =>
          turn === 1 ? ['a', 'b', 'c', 'd'].map((path) => use('read_file', { path })) : results.join('|'),
      },
      { top: 'tools = ["files:read"]\ntimeout = 60\npermissions = { ask = ["read_file"] }\n' },
      { a: 'A', b: 'B', c: 'C', d: 'D' },
    );
    const { body } = await served.post('/agents/top/runs', { json: { prompt: 'go' } });
    const run = String(body['run_id']);
    const { page } = await browsing.open(`${served.server.url}/#/runs/${run}`, PHONE);
    const detail = page.getByRole('region', { name: 'Selected agent' });
    await detail.getByRole('heading', { name: 'top wants to use read_file 4 times' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await detail.getByRole('checkbox', { name: 'd' }).uncheck();
    // Another person is faster, and the page does not know.
    const { body: list } = await served.get('/questions');
    await page.route('**/questions', (route) => route.fulfill({ json: list }));
    await served.post(`/runs/${run}/questions/t1c1/answer`, { json: { text: 'deny: not a' } });
    await detail.getByRole('button', { name: 'Approve these 3' }).click();
    const outcomes = detail.getByRole('status', { name: 'What became of the answers' });
    await outcomes.getByText(/^a: question t1c1 of run "top-\w+" was answered already/).waitFor();
    await outcomes.getByText('b: approved').waitFor();
    await outcomes.getByText('c: approved').waitFor();
    await page.unroute('**/questions');
    await detail.getByText('Allow read_file: d?').waitFor();
    await detail.getByRole('button', { name: 'Deny…' }).click();
    await detail.getByRole('button', { name: 'Deny', exact: true }).click();
    const { body: ended } = await served.get(`/runs/${run}/result?wait=25`);
    expect(String(ended['content']).replaceAll(/\s+/g, ' ')).toMatch(
      /denied by the user: not a\|.*B.*\|.*C.*\|.*denied by the user/,
    );
  });
});

describe('an answer', () => {
  browserTest('is kept where it was written while the server is out of reach', async () => {
    const served = await serveAgents(
      {
        top: ({ turn, results }: Asked) =>
          turn === 1 ? [use('ask_user', { question: 'Which one?' })] : `you said ${results.join()}`,
      },
      { top: 'tools = ["ask_user"]\ntimeout = 60\n' },
    );
    const { body } = await served.post('/agents/top/runs', { json: { prompt: 'go' } });
    const run = String(body['run_id']);
    const { page } = await browsing.open(`${served.server.url}/#/runs/${run}`, PHONE);
    const field = page.getByLabel('Your answer');
    await field.fill('the blue one');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('the server does not answer').first().waitFor();
    expect(await field.inputValue()).toBe('the blue one');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('you said the blue one').first().waitFor();
  });
});

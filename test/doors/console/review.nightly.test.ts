import { join } from 'node:path';
import { expect } from 'vitest';
import * as v from 'valibot';
import { review, TAKES_PICTURES } from '../../fixtures/review.ts';
import { typedServer } from '../../fixtures/typed.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();
const FOLDER = join(import.meta.dirname, '../../../docs/pictures');
const Started = v.object({ run_id: v.string() });

browserTest(
  'a review is seen at work, waits for its approval, and ends: the run of the pictures',
  async () => {
    const server = await typedServer(['serve', '--port', '0'], await review());
    const post = async (path: string, body: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return answer.json();
    };
    const prompt = 'Review the change to payments';
    const { run_id: id } = v.parse(Started, await post('/agents/review/runs', { prompt }));
    const { page, faults } = await browsing.open(`${server.url}/#/runs/${id}`, {
      viewport: { width: 1440, height: 810 },
    });
    await page.getByRole('treeitem', { name: /^review waits for you to approve edit_file/ }).waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(7);
    await page.getByRole('button', { name: 'Next failure (1)' }).waitFor();
    // Taken anew with `CADRE_PICTURES=docs`: the models take their time then.
    for (const colorScheme of TAKES_PICTURES ? (['light', 'dark'] as const) : []) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(FOLDER, `page-${colorScheme}.png`) });
    }
    await post(`/runs/${id}/questions/t2c2/answer`, { choice: 'approve' });
    await page.getByRole('treeitem', { name: /^review succeeded/ }).waitFor();
    await page.getByText('review wants to use edit_file').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  },
);

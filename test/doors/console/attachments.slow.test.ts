import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { toAttachment } from '../../../src/core/attachments/to-attachment.ts';
import { serveAgents } from '../api/served-agents.ts';
import { findings } from './axe.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

/** A red point, 8 by 8, that browsers can draw. */
const POINT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC',
  'base64',
);

interface Dropped {
  name: string;
  type: string;
  bytes: Buffer;
}

/** Drops files as a person does with a mouse. */
async function drop(page: Page, onto: Locator, files: readonly Dropped[]): Promise<void> {
  const given = files.map(({ name, type, bytes }) => ({ name, type, data: bytes.toString('base64') }));
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, type, data } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type }));
    }
    return transfer;
  })()`);
  for (const event of ['dragover', 'drop']) await onto.dispatchEvent(event, { dataTransfer });
}

browserTest('images are dropped on the form that starts a run, and on a message to it', async () => {
  const served = await serveAgents({ top: ({ turn }) => `answer ${turn}` });
  const { page, faults } = await browsing.open(`${served.server.url}/#/runs`);
  await page.getByRole('button', { name: 'Start a run' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start a run' });
  await dialog.getByLabel('What it is asked').fill('What is this?');
  const image = { name: 'point.png', type: 'image/png', bytes: POINT };
  await drop(page, dialog.getByLabel('What it is asked'), [
    image,
    { name: 'odd.bin', type: '', bytes: Buffer.from('a\0b') },
  ]);
  await dialog.getByText('point.png').waitFor();
  await dialog.getByText('odd.bin is neither a text nor a PNG, JPEG, GIF or WebP image or a PDF').waitFor();
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('answer 1', { exact: true }).waitFor();

  const { attachment } = toAttachment(POINT);
  const shown = page.locator('.attachments img');
  await shown.waitFor();
  expect(await shown.evaluate((element) => 'naturalWidth' in element && element.naturalWidth)).toBe(8);

  const message = page.getByLabel('Message to top');
  await drop(page, message, [image]);
  await page.getByRole('button', { name: 'Leave out point.png' }).waitFor();
  expect(await findings(page)).toEqual([]);
  // There is nothing that would have to be said about it.
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('answer 2', { exact: true }).waitFor();
  expect(served.stage.asked.at(-1)?.request.messages).toEqual([
    { role: 'user', text: 'What is this?', attachments: [attachment] },
    { role: 'assistant', text: 'answer 1', calls: [] },
    { role: 'user', text: '', attachments: [attachment] },
  ]);
  await shown.nth(1).waitFor();
  expect(await page.getByRole('button', { name: 'Leave out point.png' }).count()).toBe(0);
  expect(faults).toEqual([]);
});

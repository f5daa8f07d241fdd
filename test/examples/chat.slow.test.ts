import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { servePage } from '../../examples/chat/page/serve-page.ts';
import { findings } from '../doors/console/axe.ts';
import { browserTest, useBrowser } from '../doors/console/browser.ts';
import { startCommand } from '../fixtures/command.ts';
import { beginProject } from '../walks/project.ts';

const browsing = useBrowser();

const SCRIPT = `
[[conversations]]

[[conversations.turns]]
text = "Let me look."
calls = [{ name = "free_rooms", arguments = { day = "tuesday" } }]

[[conversations.turns]]
calls = [{ name = "book_room", arguments = { room = "Oak", day = "tuesday", hour = 9 } }]

[[conversations.turns]]
text = "<b>Done</b>: {{results}}."

[[conversations.turns]]
expect = "too small"
text = "Then take {{prompt}}."
`;

browserTest('people book a room on the page of the example, with a click for the booking', async () => {
  const project = await beginProject({ 'rooms.toml': SCRIPT }, 'rooms', 'chat');
  const agent = await readFile(join(project.folder, 'agents/rooms.toml'), 'utf8');
  await project.write('agents/rooms.toml', agent.replace(/^model = .*$/m, 'model = "scripted/rooms.toml"'));
  const serve = startCommand(['serve', '--port', '0'], project.folder);
  await serve.says('http://');
  const [address = ''] = /http:\/\/[\d.]+:\d+/.exec(serve.err) ?? [];
  const server = await servePage(new URL('/agents/rooms/ag-ui', address), 0);
  onTestFinished(() => void server.close());
  const at = server.address();
  const port = typeof at === 'object' && at !== null ? at.port : 0;

  const { page, faults } = await browsing.open(`http://localhost:${port}/`, { colorScheme: 'dark' });
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };
  await say('Eight people, Tuesday at 9');
  await page.getByRole('group', { name: 'Allow book_room?' }).getByText('"hour": 9').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'approve' }).click();
  await page.getByText('<b>Done</b>: Oak is booked on tuesday at 9:00.').waitFor();
  // Until the answer is whole, the page takes no message.
  await page.locator('#say button:enabled').waitFor();
  await say('It is too small');
  await page.getByText('Then take').waitFor();
  expect(await page.getByRole('log').locator('p').allInnerTexts()).toEqual([
    'Eight people, Tuesday at 9',
    'Let me look.',
    'free_rooms {"day":"tuesday"}',
    'book_room {"room":"Oak","day":"tuesday","hour":9}',
    '<b>Done</b>: Oak is booked on tuesday at 9:00.',
    'It is too small',
    expect.stringContaining('Then take'),
  ]);
  expect(faults).toEqual([]);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCommand } from '../fixtures/command.ts';
import { scriptedAgent } from '../fixtures/scripted-agent.ts';
import { startInTerminal } from '../fixtures/terminal.ts';
import { browserTest, useBrowser } from '../doors/console/browser.ts';
import { beginProject } from './project.ts';

// The first hour of a person who has no key and writes no code: each test is a step of it.

const browsing = useBrowser();
const SIZE = { columns: 100, rows: 30 };
const note = (path: string) => ({ name: 'write_file', arguments: { path, content: 'tea' } });
const WRITER = scriptedAgent(
  'writer',
  [
    { text: '# Plan\n\nI will write a **note**:\n\n- one\n- two\n', calls: [note('a.md')], delay_ms: 300 },
    { calls: [note('b.md')] },
    { text: 'Done: {{results}}' },
  ],
  'tools = ["write_file"]\nmode = "ask"\n',
);

test('gets an answer without a key, and sees where it came from', async () => {
  const { cadre } = await beginProject();
  const { code, out, err } = await cadre('run', 'hello', '-p', 'What is this?');
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('`hello`') });
  expect(err).toMatch(/^run hello-\w+ succeeded in .*; see: cadre show hello-\w+\n$/);
  expect((await cadre('show', 'last')).out).toMatch(/^✓ {2}hello {2}succeeded {2}1 turn/);
  expect((await cadre('run', 'helo')).err).toContain('did you mean "hello"?');
});

test('reads Markdown in a chat, denies a call with a reason, and changes the arguments of the next', async () => {
  const { folder, cadre } = await beginProject(WRITER);
  const chat = startInTerminal(['chat', 'writer'], folder, SIZE, { EDITOR: 'sed -i s/tea/coffee/' });
  await chat.shows('writer>');
  chat.type('Write a note\r');
  await chat.shows('• two', 'a.md?', 'Enter answers');
  expect(chat.whole().join('\n')).not.toContain('**note**');
  chat.type('deny not there\r');
  await chat.shows('b.md?', 'Enter answers');
  chat.type('edit the arguments\r');
  await chat.shows('Done:', 'writer>');
  chat.type('/exit\r');
  expect(await chat.ended()).toBe(0);
  expect(await readFile(join(folder, 'b.md'), 'utf8')).toBe('coffee');
  const { out } = await cadre('show', 'last', '--messages');
  expect(out).toContain('"write_file" was denied by the user: not there');
  expect(out).toMatch(/t2c1 write_file: approved by \S+ with \{"path":"b.md","content":"coffee"\}/);
});

test.each([
  [{ text: 'I cannot.', stop_reason: 'refusal' }, '', 0, 'the model refused to answer'],
  [{ text: 'And then', stop_reason: 'max_tokens' }, '', 0, 'the answer was cut at its limit of tokens'],
  [{ text: 'Well' }, '[budget]\nmax_tokens = 1\n', 4, 'budget exceeded: used 0 of 1 tokens'],
  [{ error: { category: 'auth', message: 'no' } }, '', 3, 'auth: no'],
])('learns from the command and from show why an answer is not whole: %j', async (turn, limit, code, why) => {
  const { cadre } = await beginProject(scriptedAgent('odd', [turn], limit));
  const run = await cadre('run', 'odd', '-p', 'x');
  expect(run).toMatchObject({ code, err: expect.stringContaining(why) });
  expect((await cadre('show', 'last')).out).toContain(why);
});

browserTest('starts a run on the page, denies what it asks, and reads its end there', async () => {
  const { folder } = await beginProject(WRITER);
  const served = startCommand(['serve', '--port', '0'], folder);
  await served.says('stop with Ctrl-C');
  const { page, faults } = await browsing.open(/page +(\S+)/.exec(served.err)?.[1] ?? '');
  await page.getByRole('button', { name: 'Start a run' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Agent').selectOption('writer');
  await dialog.getByLabel('What it is asked').fill('Write a note');
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('treeitem', { name: /waits for you to approve write_file/ }).waitFor();
  await page.getByRole('button', { name: 'Deny…' }).click();
  await page.getByLabel(/^Why not/).fill('not there');
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByText('Allow write_file: b.md?').waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('heading', { name: 'writer turn 3' }).waitFor();
  await page.getByText('done', { exact: false }).first().waitFor();
  expect(await readFile(join(folder, 'b.md'), 'utf8')).toBe('tea');
  expect(faults).toEqual([]);
});

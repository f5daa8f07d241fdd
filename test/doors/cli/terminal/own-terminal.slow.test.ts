import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askingWriter, scriptedAgent } from '../../../fixtures/scripted-agent.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { startInTerminal } from '../../../fixtures/terminal.ts';
import { typed } from '../../../fixtures/typed.ts';

// What a command does at a terminal, `chat.test.ts` and its neighbours show without one; here it has one.

const SIZE = { columns: 90, rows: 20 };

/** A folder with an agent whose model takes this turn. */
const folderOf = (turn: object, settings = '') => tempFolder(scriptedAgent('bob', [turn], settings));

test('a person talks to an agent at the terminal, and leaves it as it was', async () => {
  const cwd = await folderOf({ text: 'one' });
  const chat = startInTerminal(['chat', 'bob'], cwd, SIZE);
  await chat.shows('bob>');
  expect(chat.marksPastes()).toBe(true);
  chat.type('hello\r');
  await chat.shows('> hello', 'bob: one', 'bob>');
  chat.type('\u0004');
  expect(await chat.ended()).toBe(0);
  expect(chat.marksPastes()).toBe(false);
  expect(chat.whole().join('\n')).toMatch(/go on with: cadre chat bob bob-\w+/);
});

test('Ctrl-C stops a run whose tree is drawn', async () => {
  const cwd = await folderOf({ text: 'one', delay_ms: 600_000 });
  const run = startInTerminal(['run', 'bob', '-p', 'hello'], cwd, SIZE);
  await run.shows('bob', 'running');
  expect(run.colourOf('running')).toBe(6);
  run.type('\u0003');
  expect(await run.ended()).toBe(130);
});

describe('a terminal that is closed', () => {
  /** SIGHUP, as shells tell that a command has ended by it. */
  const HUNG_UP = 128 + 1;

  const records = async (cwd: string): Promise<unknown> =>
    JSON.parse((await typed(['runs', '--json'], cwd)).out);

  test('stops what the chat has under way', async () => {
    const cwd = await folderOf({ text: 'one', delay_ms: 600_000 });
    const chat = startInTerminal(['chat', 'bob'], cwd, SIZE);
    await chat.shows('bob>');
    chat.type('hello\r');
    await chat.shows('bob>', 'running');
    chat.hangUp();
    expect(await chat.ended()).toBe(HUNG_UP);
    expect(await records(cwd)).toMatchObject([{ status: 'stopped' }]);
  });

  test('stops a run that asks something', async () => {
    const cwd = await folderOf(
      { calls: [{ name: 'ask_user', arguments: { question: 'Which?' } }] },
      'tools = ["ask_user"]\n',
    );
    const run = startInTerminal(['run', 'bob', '-p', 'hello'], cwd, SIZE);
    await run.shows('bob asks: Which?', 'Enter answers');
    run.hangUp();
    expect(await run.ended()).toBe(HUNG_UP);
    expect(await records(cwd)).toMatchObject([{ status: 'stopped' }]);
  });
});

test('an editor has the terminal until it ends, and the run goes on with the arguments that it left', async () => {
  const cwd = await tempFolder({
    ...askingWriter('bob'),
    editor: `#!/bin/sh\necho "$1 what?"; read -r word; sed -i "s/new/$word/" "$2"\n`,
  });
  const env = { EDITOR: 'false', VISUAL: 'sh ./editor "by hand,"' };
  const run = startInTerminal(['run', 'bob', '-p', 'go'], cwd, SIZE, env);
  await run.shows('Enter answers');
  run.type('edit\r');
  await run.shows('by hand, what?');
  run.type('changed\r');
  expect(await run.ended()).toBe(0);
  expect(run.whole()).toContain('› approve {"path":"note","content":"changed"}');
  expect(await readFile(join(cwd, 'note'), 'utf8')).toBe('changed');
});

test('a dumb terminal is written to as if it were none', async () => {
  const cwd = await folderOf({ text: 'It **is** `so`.' });
  const run = startInTerminal(['run', 'bob', '-p', 'x'], cwd, SIZE, { TERM: 'dumb' });
  expect(await run.ended()).toBe(0);
  expect(run.whole()[0]).toBe('It **is** `so`.');
  expect(run.written()).not.toContain('\u001b');
});

describe('in a folder that is not trusted, a person', () => {
  const server = '[[mcp_servers]]\nname = "docs"\ncommand = "./gone"\nrequired = false\n';
  const start = async (...words: string[]) => {
    const cwd = await tempFolder({
      'p/agents/bob.toml': `name = "bob"\nmodel = "offline/extractive"\n${server}`,
    });
    const env = { HOME: cwd, XDG_CONFIG_HOME: cwd, CADRE_TRUST: '' };
    return { cwd, env, command: startInTerminal(words, join(cwd, 'p'), SIZE, env) };
  };

  test('who says yes goes on, in a chat too, and is not asked again', async () => {
    const { command: chat, cwd, env } = await start('chat', 'bob');
    await chat.shows('server "docs": ./gone', '[y/N]');
    chat.type('y\r');
    await chat.shows('bob>');
    chat.type('Water boils.\r');
    await chat.shows('There was no text to pick');
    chat.type('\u0004');
    expect(await chat.ended()).toBe(0);
    const again = startInTerminal(['run', 'bob', '-p', 'go'], join(cwd, 'p'), SIZE, env);
    expect(await again.ended()).toBe(0);
  });

  test.each([
    ['Enter', '\r'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('who answers with %s starts nothing', async (_, keys) => {
    const { command: run } = await start('run', 'bob', '-p', 'go');
    await run.shows('[y/N]');
    run.type(keys);
    expect(await run.ended()).toBe(2);
    expect(run.whole().join('\n')).toContain('need your trust');
  });
});

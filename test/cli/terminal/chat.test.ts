import { expect, test } from 'vitest';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { startInTerminal } from '../../fixtures/terminal.ts';

const SCRIPT = `[[conversations]]
turns = [{ text = "one" }, { text = "two", delay_ms = 600 }, { text = "three" }]
`;

test('a person talks to an agent at the terminal, forks it and comes back later', async () => {
  const cwd = await tempFolder({
    'agents/bob.toml': 'name = "bob"\nmodel = "scripted/script.toml"\ntools = ["fork"]\n',
    'script.toml': SCRIPT,
  });
  const chat = startInTerminal(['chat', 'bob'], cwd, { columns: 90, rows: 20 });
  await chat.shows('>');
  chat.type('hello\r');
  await chat.shows('> hello', 'bob: one', 'bob>');
  chat.type('/cap\t');
  await chat.shows('bob> /capture');
  chat.type('\r');
  await chat.shows('bob (capture)>');
  chat.type('look at a\r');
  await chat.shows('bob (capture)> look at a');
  chat.type('/fork\r');
  await chat.shows('you talk to bob-fork now', 'bob-fork: two', 'bob-fork>');
  chat.type('\x1b[A');
  await chat.shows('bob-fork> /fork');
  chat.type('\x15/switch bob\r');
  await chat.shows('you talk to bob now');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
  expect(chat.whole().join('\n')).toMatch(/go on with: cadre chat bob bob-\w+/);
});

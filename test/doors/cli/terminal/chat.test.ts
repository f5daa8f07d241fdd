import { expect, test } from 'vitest';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { typedInTerminal } from '../../../fixtures/terminal.ts';

const SIZE = { columns: 90, rows: 24 };

const SCRIPT = `[[conversations]]
turns = [{ text = "one" }, { text = "two", delay_ms = 600 }, { text = "three" }]
`;

/** A folder with an agent whose model plays the script. */
const folderOf = (script: string, settings = '') =>
  tempFolder({
    'agents/bob.toml': `name = "bob"\nmodel = "scripted/script.toml"\n${settings}`,
    'script.toml': script,
  });

/** Starts a chat with such an agent, and waits for its prompt. */
async function startChat(script: string, settings = '') {
  const cwd = await folderOf(script, settings);
  const chat = typedInTerminal(['chat', 'bob'], cwd, SIZE);
  await chat.shows('bob>');
  return chat;
}

test('a person talks to an agent at the terminal, forks it and comes back later', async () => {
  const chat = await startChat(SCRIPT, 'tools = ["fork"]\n');
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

const SLOW = `[[conversations]]
turns = [{ text = "one", delay_ms = 900 }, { text = "two" }, { text = "three" }]
`;

test('a line typed while the first answer is awaited is a message to the same agent', async () => {
  const chat = await startChat(SLOW);
  chat.type('hello\r');
  await chat.shows('bob>', 'running');
  chat.type('and this\r');
  await chat.shows('> and this', 'bob: two', '✓  bob');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
  expect(chat.whole().filter((line) => line.startsWith('✓  bob'))).toHaveLength(1);
});

test('an answer that was watched as it was written stands there once', async () => {
  const chat = await startChat('[[conversations]]\nturns = [{ text = "gold and silver", delay_ms = 300 }]\n');
  chat.type('hello\r');
  await chat.shows('bob: gold and silver', 'succeeded');
  expect(chat.screen().filter((line) => line.includes('silver'))).toEqual(['bob: gold and silver']);
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('Ctrl-C stops the first answer, and the conversation goes on', async () => {
  const chat = await startChat(SLOW.replace('900', '600000'));
  chat.type('hello\r');
  await chat.shows('bob>', 'running');
  chat.type('\x03');
  await chat.shows('Error: interrupted by the user', 'stopped');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('Ctrl-C while the first is obeyed leaves', async () => {
  const chat = await startChat(SLOW.replace('900', '600000'));
  chat.type('hello\r');
  await chat.shows('bob>', 'running');
  chat.type('\x03\x03');
  expect(await chat.ended()).toBe(0);
});

const ASKS = `[[conversations]]
turns = [
  { calls = [{ name = "ask_user", arguments = { question = "Which?", choices = ["red", "blue"] } }] },
  { text = "{{results}} it is" },
  { text = "three" },
]
`;

test('a question takes the line of the chat, and an answer gives it back', async () => {
  const chat = await startChat(ASKS, 'tools = ["ask_user"]\n');
  chat.type('hello\r');
  await chat.shows('bob asks: Which?', 'Enter answers');
  chat.type('blue\r');
  await chat.shows('› blue', 'bob: blue it is', 'bob>');
  chat.type('and now\r');
  await chat.shows('bob> and now', 'bob: three');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('a question that ends with its run gives the line of the chat back', async () => {
  const chat = await startChat(ASKS, 'tools = ["ask_user"]\n');
  chat.type('hello\r');
  await chat.shows('bob asks: Which?', 'Enter answers');
  chat.type('\x03');
  await chat.shows('stopped', 'bob>');
  chat.type('/help\r');
  await chat.shows('bob> /help', 'end an agent');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('a text as long as a message may be is pasted as it is typed', async () => {
  const script = `[[conversations]]
match = "its last words"
turns = [{ text = "read to the end" }]
`;
  const chat = await startChat(script);
  chat.type(`${'漢'.repeat(1000)}${'lorem ipsum '.repeat(8_000)}its last words`);
  await chat.shows('lorem ipsum its last words');
  chat.type('\r');
  await chat.shows('bob: read to the end');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('a long text is pasted into the answer to a question, too', async () => {
  const chat = await startChat(ASKS, 'tools = ["ask_user"]\n');
  chat.type('hello\r');
  await chat.shows('bob asks: Which?', 'Enter answers');
  chat.type(`${'lorem ipsum '.repeat(5000)}its last words`);
  await chat.shows('lorem ipsum its last words');
  chat.type('\x15green\r');
  await chat.shows('› green', 'bob: green it is');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('a pasted text of several lines is one message, edited like any other, and one answer', async () => {
  const script = `[[conversations]]
match = "first\\n\\tsecond\\nend"
turns = [
  { calls = [{ name = "ask_user", arguments = { question = "Which?", choices = ["red", "blue"] } }] },
  { text = "{{results}} it is" },
]
`;
  const chat = await startChat(script, 'tools = ["ask_user"]\n');
  chat.paste('first\n\tsecond\nand');
  await chat.shows('bob> first second and');
  chat.type('\x7f\x7f\x7fend\r');
  await chat.shows('bob asks: Which?', 'Enter answers');
  chat.paste('gr\neen\n');
  await chat.shows('› gr een');
  chat.type('\r');
  await chat.shows('bob: gr', 'een it is', 'bob>');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
  expect(chat.marksPastes()).toBe(false);
  expect(chat.whole()).toEqual(expect.arrayContaining(['bob> first', '        second', 'end']));
});

test('Ctrl-C ends a pasted text whose end never comes, and a second one everything', async () => {
  const chat = await startChat(SLOW.replace('900', '600000'));
  chat.type('hello\r');
  await chat.shows('bob>', 'running');
  chat.type('\x1b[200~lost\rend');
  chat.type('\x03');
  await chat.shows('Error: interrupted by the user', 'bob> lost end');
  chat.type('\x03');
  expect(await chat.ended()).toBe(0);
  expect(chat.marksPastes()).toBe(false);
});

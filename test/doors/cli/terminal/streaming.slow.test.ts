import { expect, test } from 'vitest';
import { HIDDEN, HIDDEN_CHARACTERS } from '../../../fixtures/hidden-characters.ts';
import { scriptedAgent } from '../../../fixtures/scripted-agent.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { typedInTerminal } from '../../../fixtures/terminal.ts';
import { typed } from '../../../fixtures/typed.ts';

const SIZE = { columns: 60, rows: 16 };

/** A folder with an agent whose model takes these turns. */
const folderOf = (turns: object[], settings = '', files: Record<string, string> = {}) =>
  tempFolder({ ...scriptedAgent('bob', turns, settings), ...files });

const LONG = `# Report

The **first** paragraph has words enough to need more than one line of this window.

- 漢字 and \`code\`
- a_word_without_an_end_${'x'.repeat(70)}

\`\`\`sh
echo "as it is"
\`\`\`

${'And more words of the last paragraph. '.repeat(6)}
`;

test('an answer comes in paragraphs while it is written, also while the window is made narrower', async () => {
  const cwd = await folderOf([{ text: LONG, delay_ms: 900 }, { text: 'short' }]);
  const chat = typedInTerminal(['chat', 'bob'], cwd, SIZE);
  await chat.shows('bob>');
  chat.type('hello\r');
  await chat.shows('bob:\nReport\n\nThe first paragraph has words', 'running');
  chat.resize(44);
  await chat.shows('• 漢字 and code', 'bob>');
  expect(chat.screen().find((line) => /^[▸✓] {2}bob/.test(line))).toMatch(/hello$/);
  chat.resize(30);
  await chat.shows('✓  bob');
  chat.type('and now\r');
  await chat.shows('bob: short', '✓  bob');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
  const whole = chat.whole();
  expect(whole.filter((line) => line.startsWith('▸'))).toEqual([]);
  expect(whole.filter((line) => line.startsWith('bob>'))).toEqual(['bob> hello', 'bob> and now']);
  expect(whole.filter((line) => /Report|first paragraph|漢字|as it is/.test(line))).toEqual([
    'Report',
    'The first paragraph has words',
    '• 漢字 and code',
    'echo "as it is"',
  ]);
});

test('a window that is made narrower keeps no line of an earlier picture', async () => {
  const calls = [{ name: 'ask_user', arguments: { question: 'Which one of all of these shall it be?' } }];
  const cwd = await folderOf([{ calls }, { text: 'done' }], 'tools = ["ask_user"]\n');
  const run = typedInTerminal(['run', 'bob', '-p', 'a task in more words than there is room for'], cwd, SIZE);
  await run.shows('Enter answers');
  for (const columns of [50, 41, 27]) {
    run.resize(columns);
    await run.shows('Enter answers', 'not ↪');
    expect(run.whole().filter((line) => line.includes('Enter answers'))).toHaveLength(1);
    expect(run.whole().filter((line) => line.includes('bob asks: Which'))).toHaveLength(1);
    expect(run.whole().filter((line) => line.startsWith('●'))).toHaveLength(1);
  }
  run.type('this\r');
  expect(await run.ended()).toBe(0);
});

test('the answer of a run is shown in letters and colours, and as it is where there are none', async () => {
  const cwd = await folderOf([{ text: 'It **is** `so`.\n\n- one\n' }]);
  const start = (env: Record<string, string>) => typedInTerminal(['run', 'bob', '-p', 'x'], cwd, SIZE, env);
  const rich = start({});
  expect(await rich.ended()).toBe(0);
  const plain = start({ NO_COLOR: '1' });
  expect(await plain.ended()).toBe(0);
  expect(rich.whole().slice(0, 3)).toEqual(['It is so.', '', '• one']);
  expect(rich.colourOf('so.')).toBe(6);
  expect(plain.whole()).toEqual(expect.arrayContaining(['It **is** `so`.', '- one']));
  const shown = typedInTerminal(['show', 'last', '--answer'], cwd, SIZE);
  expect(await shown.ended()).toBe(0);
  expect(shown.whole()).toEqual(['It is so.', '', '• one']);
  expect((await typed(['show', 'last', '--answer'], cwd)).out).toBe('It **is** `so`.\n\n- one\n');
});

test('a chat without colours shows what is written as it is', async () => {
  const cwd = await folderOf([{ text: 'It **is**\nso.', delay_ms: 300 }]);
  const chat = typedInTerminal(['chat', 'bob'], cwd, SIZE, { NO_COLOR: '1' });
  await chat.shows('bob>');
  chat.type('hello\r');
  await chat.shows('bob: It **is**\nso.\n', 'succeeded');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('models, tools and names of files hide nothing in what run, chat and show print', async () => {
  const hostile = HIDDEN_CHARACTERS.map(([, character]) => `a${character}b`).join(' ');
  const sequences =
    '\u001b]52;c;eA==\u0007 \u001b]8;;https://x.example\u0007link\u001b]8;;\u0007 \u001b[2J\u009b1;1H';
  const file = `n\u001b[31m\u202e\u200bame`;
  const turns = [
    { text: `${hostile} ${sequences}`, calls: [{ name: 'list_directory', arguments: {} }] },
    { calls: [{ name: 'read_file', arguments: { path: file } }] },
    { text: `**${hostile}** ${sequences} {{results}}`, delay_ms: 200 },
  ];
  const cwd = await folderOf(turns, 'tools = ["files"]\nworkdir = "w"\n', { [`w/${file}`]: `${hostile}\n` });
  const run = typedInTerminal(['run', 'bob', '-p', hostile], cwd, { columns: 100, rows: 40 });
  expect(await run.ended()).toBe(0);
  const show = typedInTerminal(['show', 'last', '--messages'], cwd, { columns: 100, rows: 40 });
  expect(await show.ended()).toBe(0);
  const chat = typedInTerminal(['chat', 'bob'], cwd, { columns: 100, rows: 40 });
  await chat.shows('bob>');
  chat.type('hello\r');
  await chat.shows('succeeded', 'n\ufffd[31m');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
  const piped = await typed(['show', 'last', '--messages'], cwd);
  for (const command of [run, show, chat]) {
    // What the program itself has the terminal do: colours, and the picture that is redrawn.
    const own = /\u001b(?:\[\d+m|\[\d*[AGK]|\[\?(?:25|2026|2004)[hl])/gu;
    expect(command.written().replace(own, '').replaceAll(/\r?\n/g, '')).not.toMatch(HIDDEN);
    expect(command.written()).toContain('a\ufffdb a\ufffdb');
  }
  expect(piped.out.replaceAll('\n', '')).not.toMatch(HIDDEN);
  expect(piped.out).toContain('a\ufffdb a\ufffdb');
});

test('a conversation that is gone on with begins with what was said last', async () => {
  const cwd = await folderOf([{ text: 'It **is** so.' }, { text: 'And more.' }]);
  await typed(['run', 'bob', '-p', 'x'], cwd);
  const chat = typedInTerminal(['chat', 'bob', 'last'], cwd, SIZE);
  await chat.shows('say something; /help lists', 'bob: It is so.', 'bob>');
  chat.type('/help\r');
  await chat.shows('every other line is said to the agent');
  expect(chat.whole().filter((line) => line.startsWith('↪'))).toEqual([]);
  chat.type('go on\r');
  await chat.shows('bob: And more.', 'succeeded');
  chat.type('\x04');
  expect(await chat.ended()).toBe(0);
});

test('the answer of a run is shown while it is written, and stands there once', async () => {
  const cwd = await folderOf(
    [
      { text: 'First I *look*.', calls: [{ name: 'list_directory', arguments: {} }] },
      { text: 'One.\n\nTwo **and** so on, in many words: a b c d e f g h i j k l m n o p q', delay_ms: 600 },
    ],
    'tools = ["files"]\n',
  );
  const run = typedInTerminal(['run', 'bob', '-p', 'x'], cwd, SIZE);
  await run.shows('First I look.\nOne.\nTwo **', '▸  bob');
  expect(await run.ended()).toBe(0);
  const whole = run.whole();
  expect(whole.slice(0, 5)).toEqual([
    'First I look.',
    'One.',
    '',
    'Two and so on, in many words: a b c d e f g h i j k l m n o',
    'p q',
  ]);
  expect(whole[5]).toMatch(/^✓  bob/);
  expect(whole[6]).toMatch(/^run bob-/);
});

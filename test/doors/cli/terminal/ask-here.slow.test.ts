import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLocalStore } from '../../../../src/places/local/local-store.ts';
import { typed } from '../../../fixtures/typed.ts';
import { answer as answerElsewhere, openQuestions as untilAsked } from '../../../fixtures/questions.ts';
import { askingWriter } from '../../../fixtures/scripted-agent.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { typedInTerminal } from '../../../fixtures/terminal.ts';

const DOWN = '\u001b[B';
const UP = '\u001b[A';
const SIZE = { columns: 80, rows: 20 };

interface Asking {
  question: string;
  choices?: string[];
}

/** A lead whose agents ask one question each, and answer with what they were told. */
async function project(asked: Asking[], extra = '') {
  const calls = asked.map(({ question }) => ({
    name: 'call_agent',
    arguments: { agent: 'kid', task: question },
  }));
  const conversations = asked.map((given) => ({
    match: given.question,
    turns: [{ calls: [{ name: 'ask_user', arguments: given }] }, { text: '{{results}}' }],
  }));
  return tempFolder({
    'agents/lead.toml': `name = "lead"\nmodel = "scripted/s.json"\nsub_agents = ["kid"]\n${extra}`,
    'agents/kid.toml': 'name = "kid"\nmodel = "scripted/s.json"\ntools = ["ask_user"]\n',
    's.json': JSON.stringify({
      conversations: [...conversations, { turns: [{ calls }, { text: 'told: {{results}}' }] }],
    }),
  });
}

const start = (cwd: string, ...args: string[]) =>
  typedInTerminal(['run', 'lead', '-p', 'go', ...args], cwd, SIZE);

/** The same with an editor, in a window that is wide enough for what is said of it. */
const startWithEditor = (cwd: string, EDITOR: string) =>
  typedInTerminal(['run', 'lead', '-p', 'go'], cwd, { columns: 150, rows: 20 }, { EDITOR });

const writer = (content?: string) => tempFolder(askingWriter('lead', content));

/** Answers the question of this text as another process does. */
async function answerThere(cwd: string, of: string, count: number, text: string) {
  const { runs, close } = await openLocalStore(cwd);
  const asked = (await untilAsked(runs, count)).find(({ question }) => question.question === of);
  await close();
  if (asked === undefined) throw new Error(`nobody asks ${of}`);
  await answerElsewhere(cwd, asked, text);
}

describe('on a terminal, run', () => {
  test('asks below the tree: a choice by arrow keys', async () => {
    const cwd = await project([{ question: 'Which\none?', choices: ['red', 'blue', 'green'] }]);
    const run = start(cwd);
    await run.shows('kid asks: Which', 'Enter answers');
    expect(run.screen().slice(2)).toEqual([
      'kid asks: Which',
      '│ one?',
      '  1. red',
      '  2. blue',
      '  3. green',
      '›',
      'Enter answers; ↑ ↓ choose, or type an answer',
    ]);
    run.type(DOWN);
    await run.shows('❯ 1. red');
    run.type(UP + UP);
    await run.shows('❯ 3. green');
    run.type(UP);
    await run.shows('❯ 2. blue');
    run.type('\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole().slice(0, 3)).toEqual(['kid asks: Which', 'one?', '› blue']);
    expect(run.whole()).toContain('told: blue');
  });

  test('asks again after a number that no choice has', async () => {
    const run = start(await project([{ question: 'Which one?', choices: ['red', 'blue'] }]));
    await run.shows('kid asks: Which one?', 'Enter answers');
    run.type('5\r');
    await run.shows('Warning: there is no choice 5: 1. red, 2. blue', 'Enter answers');
    run.type('2\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole()).toContain('told: blue');
  });

  test('shows the chosen answer and the line to type in, however little room there is', async () => {
    const choices = Array.from({ length: 30 }, (_, index) => `choice ${index + 1} ${'and so on '.repeat(9)}`);
    const cwd = await project([{ question: 'A long question. '.repeat(80), choices }]);
    const run = typedInTerminal(['run', 'lead', '-p', 'go'], cwd, { columns: 40, rows: 10 });
    await run.shows('Enter answers', '\n›\n', 'kid asks: A long question.', '│ …');
    run.type(UP + UP);
    await run.shows('❯ 29. choice 29 and so on');
    expect(run.screen().length).toBeLessThan(10);
    expect(run.screen().filter((line) => line.startsWith('↪'))).toEqual([]);
    run.type('\r');
    expect(await run.ended()).toBe(0);
  });

  test('takes a text of one\u2019s own, edited in its line, and no Enter for an answer', async () => {
    const cwd = await project([{ question: 'Which?', choices: ['red', 'blue'] }]);
    const run = start(cwd);
    await run.shows('Enter answers');
    // Neither an Enter nor the end of a file is an answer; a key that is typed leaves the choices.
    run.type('\r\u0004');
    run.type(DOWN);
    await run.shows('❯ 1. red');
    run.type('geen 漢\u001b[D\u001b[D\u001b[D\u001b[D\u001b[Dr');
    await run.shows('› green 漢');
    run.type('\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole()).toContain('told: green 漢');
  });

  test('asks one question at a time, and drops those that were answered elsewhere', async () => {
    const cwd = await project([{ question: 'First?' }, { question: 'Second?' }, { question: 'Third?' }]);
    const run = start(cwd);
    await run.shows('First?', '2 more questions wait');
    run.type('half an answer');
    await run.shows('› half an answer');
    const [, shown = ''] = /^kid asks: (.*)$/m.exec(run.screen().join('\n')) ?? [];
    await answerThere(cwd, shown, 3, 'by another');
    await run.shows('1 more question waits', `not kid asks: ${shown}`, 'not half');
    run.type('mine\r');
    await run.shows('Enter answers', 'not more');
    run.type('mine\r');
    expect(await run.ended()).toBe(0);
    const whole = run.whole().join('\n');
    expect([whole.match(/mine/g)?.length, whole.match(/by another/g)?.length]).toEqual([4, 1]);
  });

  test('asks whether an answer may be shown that a hook puts before a person', async () => {
    const cwd = await tempFolder({
      'agents/lead.toml':
        'name = "lead"\nmodel = "scripted/s.json"\n[[hooks]]\nfile = "check.mjs"\non = "before_answer"\n',
      'check.mjs': `export const handler = async ({ text }) =>
        text === 'the code is 4711' ? { decision: 'ask', reason: 'a code' } : { decision: 'allow' };`,
      's.json': JSON.stringify({
        conversations: [{ turns: [{ text: 'the code is 4711' }, { text: 'I cannot say' }] }],
      }),
    });
    const run = start(cwd);
    await run.shows('lead needs approval: Allow the answer: the code is 4711?', 'Enter answers', 'not edit');
    run.type('deny\r');
    await run.shows('why not answer? The agent reads the reason');
    run.type('not here\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole()).toContain('I cannot say');
  });

  test('is stopped by Ctrl-C while it asks, and leaves the terminal as it was', async () => {
    const cwd = await project([{ question: 'Which?' }]);
    const run = start(cwd);
    await run.shows('Enter answers');
    run.type('\u0003');
    expect(await run.ended()).toBe(130);
    expect(run.whole().join('\n')).toContain('interrupted by the user');
    expect(run.whole().join('\n')).not.toContain('Enter answers');
  });

  test('asks for approvals as for answers, and anew for what is no decision', async () => {
    const cwd = await writer();
    const run = start(cwd);
    await run.shows('lead needs approval: Allow write_file', '"content":"new"', '1. approve');
    run.type('perhaps\r');
    await run.shows('Warning: ', '1. approve', '\n›\n');
    run.type('deny not today\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole().join('\n')).toContain('not today');
  });

  test('asks for the reason of a denial, which the model reads', async () => {
    const run = start(await writer());
    await run.shows('1. approve', '2. deny', '3. always', '4. edit the arguments', 'Enter answers');
    run.type('2\r');
    await run.shows('why not write_file?', 'not 1. approve', '\n›\n');
    run.type('not on a Friday\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole()).toContain('› deny not on a Friday');
    expect(run.whole().join('\n')).toContain('"write_file" was denied by the user: not on a Friday');
  });

  test('denies without a reason where none is given', async () => {
    const run = start(await writer());
    await run.shows('Enter answers');
    run.type('deny\r');
    await run.shows('why not write_file?', '\n›\n');
    run.type('\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole().join('\n')).toContain('Permission denied: "write_file" was denied by the user.');
  });

  test('keeps a text that the editor left broken, and asks again', async () => {
    const cwd = await writer();
    // It breaks the text, fails with the same text, mends it, and leaves it as it is.
    await writeFile(
      join(cwd, 'editor'),
      `#!/bin/sh
echo . >> tries
case $(wc -l < tries | tr -d ' ') in
1) sed -i 's/"new"/"mine/' "$1" ;;
2) grep -q '"mine' "$1" && exit 3 ;;
3) sed -i 's/"mine/"mine"/' "$1" ;;
esac
`,
    );
    const run = startWithEditor(cwd, 'sh ./editor');
    await run.shows('Enter answers');
    run.type('4\r');
    await run.shows('the edited text must be a JSON object, and is none at 3:14', 'Enter answers');
    run.type('4\r');
    await run.shows('$EDITOR (sh ./editor) ended with code 3; ', 'your text is kept', 'Enter answers');
    run.type('4\r');
    expect(await run.ended()).toBe(0);
    expect(await readFile(join(cwd, 'note'), 'utf8')).toBe('mine');
  });

  test('approves nothing that was left as it is, and says how without an editor', async () => {
    const cwd = await writer('a\u202eb');
    const run = startWithEditor(cwd, 'cat "$1" > seen; true');
    await run.shows('Enter answers');
    run.type('edit\r');
    await run.shows('the arguments are as they were; nothing is approved yet', 'Enter answers');
    // No editor is trusted to show what cannot be seen.
    expect(await readFile(join(cwd, 'seen'), 'utf8')).toContain('"content": "a\\u202eb"');
    run.type('\u0003');
    expect(await run.ended()).toBe(130);
    const without = startWithEditor(cwd, ' ');
    await without.shows('Enter answers');
    without.type('edit\r');
    await without.shows(
      '$EDITOR environment variable is not set; type the arguments after "approve"',
      'Enter answers',
    );
    without.type('approve {"path":"other","content":"x"}\r');
    expect(await without.ended()).toBe(0);
    expect(await readFile(join(cwd, 'other'), 'utf8')).toBe('x');
  });

  test('asks with --verbose too, below the lines that it prints', async () => {
    const cwd = await project([{ question: 'Which?' }]);
    const run = start(cwd, '--verbose');
    await run.shows('Enter answers', '[sub-agent] Calling "kid"');
    run.type('this\r');
    expect(await run.ended()).toBe(0);
    expect(run.whole()).toContain('[question] kid was answered');
  });

  test('waits an hour for people, unless the file of the agent says otherwise', async () => {
    const [usual, told] = await Promise.all([
      project([{ question: 'Which?' }]),
      project([{ question: 'Which?' }], 'patience = "0s"\n'),
    ]);
    for (const [cwd, least, most] of [
      [usual, 3500, 3601],
      [told, 0, 300],
    ] as const) {
      const run = start(cwd);
      await run.shows('Enter answers');
      const { out } = await typed(['questions', '--json'], cwd);
      const [{ asked_at, expires_at }] = JSON.parse(out);
      const seconds = (Date.parse(expires_at) - Date.parse(asked_at)) / 1000;
      expect(seconds).toBeGreaterThan(least);
      expect(seconds).toBeLessThan(most);
      run.type('\u0003');
      await run.ended();
    }
  });
});

import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openPrompter, type PromptQuestion } from '../../../../src/doors/cli/terminal/prompt.ts';

const [UP, DOWN, ENTER, CTRL_C, CTRL_D] = ['\x1b[A', '\x1b[B', '\r', '\x03', '\x04'];
const HELP = 'Enter answers; ↑ ↓ choose, or type an answer';

/** A prompter at a keyboard, and what it draws: the cursor stands in brackets. */
function atKeyboard(height = 12) {
  const keyboard = Object.assign(new PassThrough(), { setRawMode: () => {} });
  const nowhere = new Writable({ write: (_text, _, done) => done() });
  const terminal = Object.assign(nowhere, { columns: 50, rows: height, hasColors: () => false });
  let drawn: string[] | undefined;
  let interrupts = 0;
  const prompter = openPrompter({
    keyboard,
    terminal,
    draw: (picture) => (drawn = picture?.({ width: 50, height })),
    interrupt: () => (interrupts += 1),
  });
  onTestFinished(() => prompter.close());
  const type = async (...keys: string[]) => {
    for (const each of keys) {
      keyboard.write(each);
      await setImmediate();
      await setImmediate();
    }
  };
  const question = (more: Partial<PromptQuestion> = {}): PromptQuestion => ({
    title: 'bob asks',
    text: 'Which?',
    choices: ['red', 'blue'],
    others: () => 0,
    ...more,
  });
  return {
    prompter,
    type,
    ask: (more?: Partial<PromptQuestion>, signal = new AbortController().signal) =>
      prompter.ask(question(more), signal),
    drawn: () => drawn?.map((line) => line.replace('\x1b[7m', '[').replace('\x1b[27m', ']')),
    interrupts: () => interrupts,
    /** Another reader of the keyboard. */
    taken: () => String(keyboard.read()),
  };
}

test.each<[string, string[], string[]]>([
  ['with none chosen at first', [], ['  1. red', '  2. blue', '› [ ]']],
  ['with the one before the line', [UP], ['  1. red', '❯ 2. blue', '  [ ]']],
  ['with the first one below the line', [DOWN], ['❯ 1. red', '  2. blue', '  [ ]']],
  ['with the one that arrows lead to', [UP, UP, UP, DOWN, DOWN], ['  1. red', '❯ 2. blue', '  [ ]']],
  ['with none while something is typed', [UP, 'gre'], ['  1. red', '  2. blue', '› gre[ ]']],
])('a question is drawn with its choices, %s', async (_, keys, lines) => {
  const { ask, type, drawn } = atKeyboard();
  void ask();
  await type(...keys);
  expect(drawn()).toEqual(['bob asks: Which?', ...lines, HELP]);
});

test.each<[string, Partial<PromptQuestion>, string[]]>([
  ['without choices', { choices: [] }, ['bob asks: Which?', '› [ ]', 'Enter answers']],
  [
    'with others behind it',
    { choices: [], others: () => 2 },
    ['bob asks: Which?', '› [ ]', 'Enter answers; 2 more questions wait'],
  ],
  [
    'with one other behind it, and an empty line that says something',
    { choices: [], others: () => 1, ifEmpty: 'Enter skips' },
    ['bob asks: Which?', '› [ ]', 'Enter skips; 1 more question waits'],
  ],
  [
    'of several lines',
    { choices: [], text: 'one\n› two' },
    ['bob asks: one', '│ › two', '› [ ]', 'Enter answers'],
  ],
  [
    'longer than there is room for, with the choices that there is room for',
    { choices: ['1', '2', '3', '4', '5', '6'], text: 'a\nb\nc\nd\ne\nf' },
    ['bob asks: a', '│ b', '│ …', '  4. 4', '  5. 5', '  6. 6', '› [ ]', HELP],
  ],
])('a question %s is drawn', async (_, more, lines) => {
  const { ask, drawn } = atKeyboard(8);
  void ask(more);
  expect(drawn()).toEqual(lines);
});

test.each<[string, string[], Partial<PromptQuestion>, string]>([
  ['with what is typed', [' green ', ENTER], {}, 'green'],
  ['with a choice', [UP, ENTER], {}, 'blue'],
  ['not with an empty line', [ENTER, 'green', ENTER], {}, 'green'],
  ['with an empty line that says something', [ENTER], { ifEmpty: 'Enter skips' }, ''],
  ['not with the end of the input', [CTRL_D, 'green', ENTER], {}, 'green'],
])('a question is answered %s', async (_, keys, more, answer) => {
  const { ask, type, drawn } = atKeyboard();
  const answered = ask(more);
  await type(...keys);
  expect(await answered).toBe(answer);
  expect(drawn()).toBeUndefined();
});

test('text that was typed before a question is not its answer', async () => {
  const { ask, type, drawn, interrupts } = atKeyboard();
  await type('for nobody');
  const first = ask();
  await type('left\x01');
  expect(drawn()?.at(-2)).toBe('› [l]eft');
  await type('\x05', CTRL_C);
  expect(interrupts()).toBe(1);
  await type('over', ENTER);
  expect(await first).toBe('leftover');
  await type('for nobody', '\x01');
  const second = ask();
  await type('green', ENTER);
  expect(await second).toBe('green');
});

test('a question that is taken back has no answer, and one that was is not asked', async () => {
  const { ask, drawn } = atKeyboard();
  const stop = new AbortController();
  const asked = ask({}, stop.signal);
  stop.abort();
  expect([await asked, await ask({}, stop.signal), drawn()]).toEqual([undefined, undefined, undefined]);
});

test('a prompter leaves the keyboard to others while it is paused', async () => {
  const { prompter, ask, type, drawn, taken } = atKeyboard();
  const asked = ask();
  prompter.pause();
  await type('for another');
  expect(taken()).toBe('for another');
  prompter.resume();
  await type('green');
  expect(drawn()?.at(-2)).toBe('› green[ ]');
  await type(ENTER);
  expect(await asked).toBe('green');
});

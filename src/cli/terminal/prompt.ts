import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import { fitted, fittedTail, widthOf } from './columns.ts';
import type { Area } from './live-tree.ts';
import { oneLine, printable } from './printable.ts';

/** What a person is asked: answers to choose from, if there are any, and a line for an answer of their own. */
export interface Asked {
  /** Who asks; one line. */
  who: string;
  text: string;
  choices: readonly string[];
  /** How many others wait, at the moment. */
  others: () => number;
}

export interface PromptPorts {
  keyboard: NodeJS.ReadStream;
  /** Shows a picture in place of the last one, or none. */
  draw(picture: ((area: Area) => string[]) | undefined): void;
  /** What Ctrl-C does. */
  interrupt(): void;
}

/**
 * Asks until there is an answer or the signal is aborted. At first no choice is chosen, so that an Enter that was meant
 * for a question which has just gone answers nothing.
 * @returns undefined if the signal was aborted
 */
export async function prompt(
  asked: Asked,
  ports: PromptPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Ctrl-D ends a line editor, but no question.
  while (!signal.aborted) {
    const answer = await editLine(asked, ports, signal);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Node's own line editor, which draws nothing here: what is typed and where the cursor is become part of a picture. */
async function editLine(
  asked: Asked,
  { keyboard, draw, interrupt }: PromptPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { choices } = asked;
  // The line that is typed in comes after the choices.
  const own = choices.length;
  let chosen = own;
  const editor = createInterface({ input: keyboard, terminal: true, historySize: 0, tabSize: 1 });
  const show = () =>
    draw((area) => picture(asked, chosen, { line: editor.line, cursor: editor.cursor }, area));
  const onKey = (_: string | undefined, { name }: { name?: string }) => {
    const step = name === 'down' ? 1 : name === 'up' ? -1 : 0;
    if (step !== 0) chosen = (chosen + step + own + 1) % (own + 1);
    else if (name !== 'return') chosen = own;
    show();
  };
  keyboard.on('keypress', onKey);
  editor.on('SIGINT', interrupt);
  show();
  try {
    return await new Promise((resolve) => {
      editor.on('line', (line) => {
        const answer = choices[chosen] ?? line.trim();
        if (answer !== '') resolve(answer);
      });
      editor.on('close', () => resolve(undefined));
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  } finally {
    keyboard.off('keypress', onKey);
    editor.close();
    draw(undefined);
  }
}

interface Line {
  line: string;
  /** In UTF-16 units. */
  cursor: number;
}

/** The question, as much of the choices as there is room for, and the line that is typed in. */
function picture({ who, text, choices, others }: Asked, chosen: number, typed: Line, area: Area): string[] {
  const { width, height } = area;
  const room = Math.max(2, height - 3);
  const shown = around(choices, chosen, Math.max(1, Math.min(choices.length, room - 1)));
  // No line of a text can pass for one of ours.
  const words = wrapAnsi(printable(`${who} asks: ${text}`), Math.max(1, width - 2), { hard: true, trim: false });
  const lines = words.split('\n').map((line, index) => (index === 0 ? line : `│ ${line}`));
  const fitting = Math.max(1, room - shown.length);
  return [
    ...(lines.length > fitting ? [...lines.slice(0, fitting - 1), '│ …'] : lines),
    ...shown.map(({ choice, index }) =>
      fitted(`${index === chosen ? '❯' : ' '} ${index + 1}. ${oneLine(choice)}`, width),
    ),
    `${chosen === choices.length ? '›' : ' '} ${lineWithCursor(typed, width - 2)}`,
    fitted(help(choices.length > 0, others()), width),
  ];
}

function help(hasChoices: boolean, others: number): string {
  const waiting = others === 0 ? '' : `; ${others} more ${others === 1 ? 'question waits' : 'questions wait'}`;
  return `${hasChoices ? '↑ ↓ choose, or type an answer; ' : ''}Enter answers${waiting}`;
}

/** As many of the choices as there is room for, with the chosen one among them. */
function around(choices: readonly string[], chosen: number, room: number) {
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), choices.length - room));
  return choices.map((choice, index) => ({ choice, index })).slice(first, first + room);
}

/** The part of a line around the cursor, which is drawn by exchanging the colours of its place. */
function lineWithCursor({ line, cursor }: Line, width: number): string {
  const [under = '', ...after] = line.slice(cursor);
  const before = fittedTail(oneLine(line.slice(0, cursor)), Math.max(0, width - 3));
  const rest = fitted(oneLine(after.join('')), Math.max(0, width - 3 - widthOf(before)));
  return before + styleText('inverse', under === '' ? ' ' : oneLine(under), { validateStream: false }) + rest;
}

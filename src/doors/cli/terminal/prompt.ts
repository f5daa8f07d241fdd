import type { Interface, Key } from 'node:readline';
import wrapAnsi from 'wrap-ansi';
import { fitted, lineWithCursor, type TypedLine } from './columns.ts';
import { editKeys, typedLine } from './keys.ts';
import type { Area } from './live-tree.ts';
import { oneLine, printable } from './printable.ts';
import type { Keyboard, Screen } from './io.ts';

/** A question to a person: answers to choose from, if there are any, and a line for an answer of their own. */
export interface PromptQuestion {
  /** The agent and its request: `kid asks`; one line. */
  title: string;
  text: string;
  choices: readonly string[];
  /** How many others wait, at the moment. */
  others: () => number;
  /** What a line without any text says, in words; absent: it is no answer. */
  ifEmpty?: string;
}

export interface PromptPorts {
  keyboard: Keyboard;
  terminal: Screen;
  /** Shows a picture in place of the last one, or none. */
  draw(picture: ((area: Area) => string[]) | undefined): void;
  /** Acts on Ctrl-C. */
  interrupt(): void;
}

/** Holds the keyboard until it is closed, so that no key pressed between two questions is shown or lost. */
export interface Prompter {
  /**
   * Asks until there is an answer. At first no choice is chosen, so that an Enter that was meant for a question which
   * has just gone answers nothing.
   * @returns undefined if the signal was aborted
   */
  ask(asked: PromptQuestion, signal: AbortSignal): Promise<string | undefined>;
  /** Leaves the keyboard to another reader. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a prompter. The question and the typed text become part of the picture that is drawn. */
export function openPrompter({ keyboard, terminal, draw, interrupt }: PromptPorts): Prompter {
  let current: { asked: PromptQuestion; chosen: number; answer: (text: string) => void } | undefined;
  let isClosed = false;
  let editor = openEditor();
  keyboard.on('keypress', onKey);

  function openEditor(): Interface {
    const opened = editKeys({ keyboard, terminal, entered, changed: show, historySize: 0, tabSize: 1 });
    opened.on('SIGINT', interrupt);
    // Ctrl-D ends a line editor, but no question.
    opened.on('close', () => {
      if (!isClosed) editor = openEditor();
    });
    return opened;
  }

  function entered(line: string): void {
    if (current === undefined) return;
    const text = current.asked.choices[current.chosen] ?? line.trim();
    if (text !== '' || current.asked.ifEmpty !== undefined) current.answer(text);
  }

  function onKey(_: string | undefined, { name }: Key): void {
    if (current === undefined) return;
    const { asked, chosen } = current;
    // The line that is typed in comes after the choices.
    const own = asked.choices.length;
    const step = name === 'down' ? 1 : name === 'up' ? -1 : 0;
    current.chosen = step !== 0 ? (chosen + step + own + 1) % (own + 1) : name === 'return' ? chosen : own;
  }

  function show(): void {
    if (current === undefined) return draw(undefined);
    const { asked } = current;
    draw((area) => picture(asked, current?.chosen ?? 0, typedLine(editor), area));
  }

  return {
    async ask(asked, signal) {
      if (signal.aborted) return undefined;
      // Text typed before is for no question, or for another one.
      editor.write(null, { ctrl: true, name: 'e' });
      editor.write(null, { ctrl: true, name: 'u' });
      try {
        return await new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(undefined), { once: true });
          current = { asked, chosen: asked.choices.length, answer: resolve };
          show();
        });
      } finally {
        current = undefined;
        show();
      }
    },
    pause: shut,
    resume() {
      isClosed = false;
      editor = openEditor();
      keyboard.on('keypress', onKey);
    },
    close: shut,
  };

  function shut(): void {
    isClosed = true;
    keyboard.off('keypress', onKey);
    editor.close();
  }
}

/** The question, as many choices as there is room for, and the input line. */
function picture(
  { title, text, choices, others, ifEmpty }: PromptQuestion,
  chosen: number,
  typed: TypedLine,
  area: Area,
): string[] {
  const { width, height } = area;
  // No line of a text can pass for one of ours.
  const words = wrapAnsi(printable(`${title}: ${text}`), Math.max(1, width - 2), {
    hard: true,
    trim: false,
  });
  const lines = words.split('\n').map((line, index) => (index === 0 ? line : `│ ${line}`));
  // Besides the input line and the one below it, half of the room goes to the question if it needs that much.
  const room = Math.max(2, height - 2);
  const ofText = Math.min(lines.length, Math.max(Math.ceil(room / 2), room - choices.length));
  const shown = around(choices, chosen, room - ofText);
  return [
    ...(lines.length > ofText ? [...lines.slice(0, ofText - 1), '│ …'] : lines),
    ...shown.map(({ choice, index }) =>
      fitted(`${index === chosen ? '❯' : ' '} ${index + 1}. ${oneLine(choice)}`, width),
    ),
    `${chosen === choices.length ? '›' : ' '} ${lineWithCursor(typed, width - 2)}`,
    fitted(help(choices.length > 0, others(), ifEmpty), width),
  ];
}

function help(hasChoices: boolean, others: number, ifEmpty = 'Enter answers'): string {
  return [
    ifEmpty,
    ...(hasChoices ? ['↑ ↓ choose, or type an answer'] : []),
    ...(others === 0 ? [] : [`${others} more ${others === 1 ? 'question waits' : 'questions wait'}`]),
  ].join('; ');
}

/** As many of the choices as there is room for, with the chosen one among them. */
function around(choices: readonly string[], chosen: number, room: number) {
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), choices.length - room));
  return choices.map((choice, index) => ({ choice, index })).slice(first, first + room);
}

import type { Interface } from 'node:readline';
import { lineWithCursor } from './columns.ts';
import { editKeys, typedLine } from './keys.ts';
import type { Area } from './live-tree.ts';
import type { Keyboard, Screen } from './io.ts';

export interface LineEditorPorts {
  keyboard: Keyboard;
  terminal: Screen;
  /** Shows a picture in place of the last one, or none. */
  draw(picture: ((area: Area) => string[]) | undefined): void;
  /** Acts on Ctrl-C. */
  interrupt(): void;
  /** The text in front of the line. */
  prompt(): string;
  /** The lines that this one can be completed to, for the Tab key. */
  complete(line: string): Promise<string[]>;
}

/** A line that is typed, with history and completion, as part of a picture that is redrawn. */
export interface LineEditor {
  /** The next line. @returns undefined at the end: Ctrl-D, or the signal */
  next(signal: AbortSignal): Promise<string | undefined>;
  /** Leaves the keyboard to another reader. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens a line editor. The typed text and the cursor become part of the picture that is drawn. */
export function openLineEditor(ports: LineEditorPorts): LineEditor {
  const { keyboard, terminal, draw, interrupt, prompt, complete } = ports;
  let history: string[] = [];
  let editor: Interface | undefined;
  let isClosed = false;
  const lines: string[] = [];
  let wanted: ((line: string | undefined) => void) | undefined;

  function hand(line: string | undefined): void {
    if (wanted === undefined) {
      if (line !== undefined) lines.push(line);
      return;
    }
    const give = wanted;
    wanted = undefined;
    give(line);
  }

  function open(): void {
    if (editor !== undefined || isClosed) return;
    const opened = editKeys({
      keyboard,
      terminal,
      entered: hand,
      changed: show,
      history,
      historySize: 1000,
      removeHistoryDuplicates: true,
      completer: (line: string, done: (error: null, found: [string[], string]) => void) => {
        complete(line).then(
          (found) => done(null, [found, line]),
          () => done(null, [[], line]),
        );
      },
    });
    editor = opened;
    opened.on('history', (newest: string[]) => (history = newest));
    opened.on('SIGINT', interrupt);
    opened.on('close', () => {
      // Ctrl-D: `shut` has unset it before it closes it.
      if (editor === opened) {
        editor = undefined;
        hand(undefined);
      }
    });
    show();
  }

  function shut(): void {
    const opened = editor;
    editor = undefined;
    opened?.close();
    draw(undefined);
  }

  function show(): void {
    if (editor === undefined) return;
    draw(({ width }) => {
      if (editor === undefined) return [];
      const label = prompt();
      return [`${label}${lineWithCursor(typedLine(editor), width - label.length)}`];
    });
  }

  open();

  return {
    next(signal) {
      if (signal.aborted) return Promise.resolve(undefined);
      if (lines.length > 0) return Promise.resolve(lines.shift());
      if (editor === undefined && isClosed) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        wanted = resolve;
        signal.addEventListener('abort', () => hand(undefined), { once: true });
      });
    },
    pause: shut,
    resume: open,
    close() {
      isClosed = true;
      shut();
    },
  };
}

import {
  createInterface,
  emitKeypressEvents,
  type Interface,
  type Key,
  type ReadLineOptions,
} from 'node:readline';
import { PassThrough } from 'node:stream';
import type { TypedLine } from './columns.ts';
import type { Keyboard, Screen } from './io.ts';

export interface KeyPorts extends Pick<
  ReadLineOptions,
  'completer' | 'history' | 'historySize' | 'removeHistoryDuplicates' | 'tabSize'
> {
  keyboard: Keyboard;
  /** The screen that belongs to it. */
  terminal: Screen;
  /** Told each line, after Enter. Only a pasted one has line breaks in it. */
  entered(line: string): void;
  /** Called once for all keys that come at once, as the characters of a pasted text do. */
  changed(): void;
}

/** Makes a terminal mark the ends of pasted text, so that its line breaks are told from Enter; and stops that. */
const MARK_PASTES = '\u001b[?2004h';
const LEAVE_PASTES = '\u001b[?2004l';

/** A line break in a line, for an editor to which all other line breaks are Enter. */
const BREAK = '\v';

/**
 * Node's own line editor on a keyboard, until it is closed. It draws nothing. It measures its whole line for each text
 * that it gets, so a piece that comes at once is given as one text.
 */
export function editKeys({ keyboard, terminal, entered, changed, ...options }: KeyPorts): Interface {
  // A closed terminal can be neither read nor written: this editor ends with it.
  const onError = () => {};
  keyboard.on('error', onError);
  const leavePastes = () => void terminal.write(LEAVE_PASTES);
  process.once('exit', leavePastes);
  const input = Object.assign(new PassThrough(), {
    setRawMode(isRaw: boolean) {
      keyboard.setRawMode(isRaw);
      terminal.write(isRaw ? MARK_PASTES : LEAVE_PASTES);
    },
  });
  const editor = createInterface({ ...options, input, terminal: true });
  let text = '';
  let pasted: string | undefined;
  let turn: NodeJS.Immediate | undefined;

  function flush(): void {
    if (text === '') return;
    const typed = text;
    text = '';
    editor.write(typed);
  }

  function take(character: string | undefined, key: Key): void {
    if (key.name === 'paste-start') pasted = '';
    else if (key.name === 'paste-end' || isInterrupt(key)) {
      text += (pasted ?? '').replace(/\r\n|[\r\n\u2028\u2029]/g, BREAK);
      pasted = undefined;
    }
    if (pasted !== undefined) pasted += character ?? '';
    else if (character !== undefined && isText(character)) text += character;
    else {
      flush();
      editor.write(character, key);
    }
  }

  function onKey(character: string | undefined, key: Key): void {
    take(character, key);
    turn ??= setImmediate(() => {
      turn = undefined;
      flush();
      changed();
    });
  }

  const close = () => editor.close();
  emitKeypressEvents(keyboard);
  keyboard.on('keypress', onKey).on('end', close).on('close', close);
  keyboard.resume();
  editor.on('line', (line) => entered(withBreaks(line)));
  editor.on('close', () => {
    clearImmediate(turn);
    process.off('exit', leavePastes);
    keyboard.off('keypress', onKey).off('end', close).off('close', close).off('error', onError);
    keyboard.pause();
  });
  return editor;
}

/** The current text of the line. */
export function typedLine({ line, cursor }: Interface): TypedLine {
  return { line: withBreaks(line), cursor };
}

function withBreaks(line: string): string {
  return line.replaceAll(BREAK, '\n');
}

/** Every other character is a key that does something. */
function isText(character: string): boolean {
  return /^\P{Cc}+$/u.test(character);
}

/** Helps, too, where the end of a pasted text never came. */
function isInterrupt({ ctrl, name }: Key): boolean {
  return ctrl === true && name === 'c';
}

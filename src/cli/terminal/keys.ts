import {
  createInterface,
  emitKeypressEvents,
  type Interface,
  type Key,
  type ReadLineOptions,
} from 'node:readline';
import { PassThrough } from 'node:stream';

export interface KeyPorts extends Pick<
  ReadLineOptions,
  'completer' | 'history' | 'historySize' | 'removeHistoryDuplicates' | 'tabSize'
> {
  keyboard: NodeJS.ReadStream;
  /** Told once for all the keys that come at once, as the characters of a pasted text do. */
  changed(): void;
}

/**
 * Node's own line editor on a keyboard, until it is closed. It draws nothing. It measures its whole line for each text
 * that it is given, so it is given as one text what comes at once.
 */
export function editKeys({ keyboard, changed, ...options }: KeyPorts): Interface {
  // A terminal that was closed can neither be read nor told anything: this editor ends with it.
  const onError = () => {};
  keyboard.on('error', onError);
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => void keyboard.setRawMode(isRaw),
  });
  const editor = createInterface({ ...options, input, terminal: true });
  let text = '';
  let turn: NodeJS.Immediate | undefined;

  function flush(): void {
    if (text === '') return;
    const typed = text;
    text = '';
    editor.write(typed);
  }

  function onKey(character: string | undefined, key: Key): void {
    if (character !== undefined && isText(character)) text += character;
    else {
      flush();
      editor.write(character, key);
    }
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
  editor.on('close', () => {
    clearImmediate(turn);
    keyboard.off('keypress', onKey).off('end', close).off('close', close).off('error', onError);
    keyboard.pause();
  });
  return editor;
}

/** Every other character is a key that does something. */
function isText(character: string): boolean {
  return /^\P{Cc}+$/u.test(character);
}

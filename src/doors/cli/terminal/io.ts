import type { Readable, Writable } from 'node:stream';

/** A screen on which a picture can be drawn again. */
export interface Screen extends Writable, Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'hasColors'> {}

/** Keys, as a terminal sends them. */
export interface Keyboard extends Readable {
  /** Whether each key is told at once, and none of them echoed or turned into a signal. */
  setRawMode(isRaw: boolean): unknown;
}

/** A command's view of the process it runs in, so that a test can stand in for it. */
export interface Io {
  /** The answer and nothing else. */
  stdout(text: string): void;
  /** The same for an answer of an agent: on a terminal it ends with a line break, elsewhere nothing is added to it. */
  answer(text: string): void;
  /** Writes lines that were made for the terminal, colours included; absent if stdout has no colours. */
  styled?(lines: string): void;
  /** Everything that is not the answer. */
  stderr(text: string): void;
  /** `--trust` adds `CADRE_TRUST`. */
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** This machine's name for the user; absent where it has none. */
  user?: string;
  /** Puts a question to the person at the terminal; absent where nobody can be asked. */
  confirm?(question: string): Promise<boolean>;
  /** Columns of the terminal that stdout is; absent where it is none. */
  columns?: number;
}

/** The further needs of commands that start or follow a run. */
export interface RunIo extends Io {
  /**
   * The text that was piped in, or the bytes of an image or a document; "" on a terminal.
   * @throws {ConfigError} if it is anything else, or too large
   */
  readStdin(): Promise<string | Uint8Array>;
  /** Lines of the piped input, as they come. */
  lines(): AsyncIterable<string>;
  /** Where a live picture can be drawn; absent where stderr is no terminal. */
  terminal?: Screen;
  /** Where a person types; absent where stdin is no terminal or nothing can be drawn. */
  keyboard?: Keyboard;
  /**
   * Aborted when the user wants to stop (Ctrl-C), or the process is told to end: its reason is the signal's name. Until a
   * command has asked for it, the process ends by itself.
   */
  interrupted: AbortSignal;
  /** Aborted once nobody reads stdout any more, as behind `| head`. */
  unread: AbortSignal;
  /** Does what Ctrl-C does: while keys are read one by one, the terminal does not turn it into a signal. */
  interrupt(): void;
}

/**
 * How long agents wait for the person at the terminal, in seconds, where the agent's file says nothing: an hour.
 * @returns undefined where no person types
 */
export function patienceOf({ keyboard }: Pick<RunIo, 'keyboard'>): number | undefined {
  return keyboard === undefined ? undefined : 3600;
}

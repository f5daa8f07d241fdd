/** A program may write for ever; a person reads no more than this. */
const EVERY_MS = 100;
const MOST_CHARACTERS = 4_000;

/** Passes output on while a program runs: at most ten times a second, and each time only the end of it. */
export interface PacedTelling {
  tell(text: string): void;
  /** Passes on the rest, and nothing after that. */
  close(): void;
}

export function paced(tell: (text: string) => void): PacedTelling {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const text = pending.slice(-MOST_CHARACTERS);
    pending = '';
    if (text !== '') tell(text);
  };
  return {
    tell(text) {
      pending = (pending + text).slice(-MOST_CHARACTERS);
      timer ??= setTimeout(flush, EVERY_MS);
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}

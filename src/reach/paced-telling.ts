/** A program may write for ever, and nobody reads more than this. */
const EVERY_MS = 100;
const MOST_CHARACTERS = 4_000;

/** Tells what is put out as it goes, ten times a second at most, of each time no more than the end. */
export interface PacedTelling {
  tell(text: string): void;
  /** Tells what is left, and no more after that. */
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

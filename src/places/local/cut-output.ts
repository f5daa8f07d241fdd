/**
 * How much of the beginning of an output is kept, and of its end, where errors are. A model is shown less: the rest is
 * for the file that keeps a long result.
 */
const HEAD_CHARACTERS = 400_000;
const TAIL_CHARACTERS = 600_000;

/** An output of any length in bounded memory: one that is too long loses its middle. */
export interface CutOutput {
  add(text: string): void;
  /** At most a million characters, with a note in the middle of how many are missing. */
  text(): string;
  /** How many are missing. */
  left(): number;
}

export function createCutOutput(): CutOutput {
  let head = '';
  let tail = '';
  let length = 0;
  const left = () => Math.max(0, length - HEAD_CHARACTERS - TAIL_CHARACTERS);
  return {
    add(text) {
      length += text.length;
      const room = HEAD_CHARACTERS - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      // Only now and then, since each cut copies the text.
      if (tail.length > 2 * TAIL_CHARACTERS) tail = tail.slice(-TAIL_CHARACTERS);
    },
    text() {
      const end = tail.slice(-TAIL_CHARACTERS);
      if (left() === 0) return head + end;
      return `${head.toWellFormed()}\n\n[${left()} of ${length} characters were not kept]\n\n${end.toWellFormed()}`;
    },
    left,
  };
}

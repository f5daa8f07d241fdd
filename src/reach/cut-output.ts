/** How much is kept of the beginning of an output, and of its end, where errors are. */
const HEAD_CHARACTERS = 20_000;
const TAIL_CHARACTERS = 29_000;

/** An output of any length in bounded memory: one that is too long loses its middle. */
export interface CutOutput {
  add(text: string): void;
  /** At most 49,100 characters, which leaves room for notes about it. */
  text(): string;
}

export function createCutOutput(): CutOutput {
  let head = '';
  let tail = '';
  let length = 0;
  return {
    add(text) {
      length += text.length;
      const room = HEAD_CHARACTERS - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      // Only now and then, since each cut copies the text.
      if (tail.length > 4 * TAIL_CHARACTERS) tail = tail.slice(-TAIL_CHARACTERS);
    },
    text() {
      const end = tail.slice(-TAIL_CHARACTERS);
      const left = length - head.length - end.length;
      if (left === 0) return head + end;
      return `${head.toWellFormed()}\n\n[${left} of ${length} characters left out]\n\n${end.toWellFormed()}`;
    },
  };
}

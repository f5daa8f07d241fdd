/** Of what is put out, what is kept of its beginning and of its end, where errors are. */
const HEAD_CHARACTERS = 20_000;
const TAIL_CHARACTERS = 29_000;

/** A text of any length in bounded memory: what is too long loses its middle. */
export interface CutOutput {
  add(text: string): void;
  /** At most 49,100 characters, which leaves room for what is said of it. */
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
      // Now and then, since each cut copies.
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

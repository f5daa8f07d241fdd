/** More values than any answer for a model has; reading these takes some milliseconds. */
export const MOST_VALUES = 200_000;

const [NEWLINE, QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [10, 34, 92, 44, 91, 123];

/**
 * Counts the values in JSON before it is parsed: a few bytes of it are a value that takes a hundred times as long as
 * they do in a text.
 */
export class ValueCount {
  #values = 0;
  #isInText = false;
  #isEscaped = false;

  /** @returns whether there still are no more than anybody needs */
  add(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      // No text of JSON goes over the end of a line.
      if (byte === NEWLINE) this.#isInText = this.#isEscaped = false;
      else if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = this.#isInText;
      else if (byte === QUOTE) this.#isInText = !this.#isInText;
      else if (!this.#isInText && (byte === COMMA || byte === BRACKET || byte === BRACE)) this.#values += 1;
    }
    return this.#values <= MOST_VALUES;
  }
}

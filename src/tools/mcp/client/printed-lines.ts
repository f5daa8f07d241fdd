import { MAX_ANSWER_BYTES } from '../../reach/bounded-answer.ts';
import { MOST_VALUES, ValueCount } from '../../reach/value-count.ts';

/** Far more than any server prints by mistake. */
const MOST_MISTAKES = 1_000;

/** No message of the protocol is shorter than this. */
const LEAST_BYTES = '{"jsonrpc":"2.0"}'.length;

const NEWLINE = 10;

/**
 * The lines of a server's output, each of which is to be one message. What they may cost this process is bounded before
 * any of them is parsed: their length, the number of their values, and how many of them are no messages.
 */
export class PrintedLines {
  #parts: Buffer[] = [];
  #bytes = 0;
  #values = new ValueCount();
  #mistakes = 0;

  /**
   * The lines that end in these bytes and may be messages.
   * @throws {Error} at a line that is too long or has too many values, and at too many in a row that are no messages
   */
  *take(bytes: Buffer): Generator<string> {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#keep(bytes.subarray(start, end));
      start = end + 1;
      const line = this.#bytes < LEAST_BYTES ? '' : Buffer.concat(this.#parts).toString('utf8').trim();
      this.#parts = [];
      this.#bytes = 0;
      this.#values = new ValueCount();
      if (!line.startsWith('{')) continue;
      this.#mistakes += 1;
      if (this.#mistakes > MOST_MISTAKES) throw new Error(`more than ${MOST_MISTAKES} lines are no messages`);
      yield line;
    }
    this.#keep(bytes.subarray(start));
  }

  /** Says that the line which was taken last is a message. */
  understood(): void {
    this.#mistakes = 0;
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes > MAX_ANSWER_BYTES) throw new Error(`a message has more than ${MAX_ANSWER_BYTES} bytes`);
    if (!this.#values.add(part)) throw new Error(`a message has more than ${MOST_VALUES} values`);
  }
}

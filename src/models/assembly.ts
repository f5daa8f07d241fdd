/**
 * Puts the parts of a streamed answer together to what the API would have answered whole, so that one translation reads
 * both. Each wire format has its own.
 */
export interface Assembly {
  /**
   * Takes in a part, in the order of the stream.
   * @param part parsed from JSON
   * @throws {ValiError} if no part of this API looks like that
   */
  add(part: unknown): void;
  /** Takes in the mark that OpenAI's protocol ends a stream with, `[DONE]`. */
  end?(): void;
  /** Whether the end of the answer has come. An error that the API reports in mid-stream is an end too. */
  isWhole(): boolean;
  /** What the API would have answered whole; before the end, with as much of it as has come. */
  answer(): unknown;
}

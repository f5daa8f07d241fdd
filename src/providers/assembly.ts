import type { OnDelta } from '../core/model/model.ts';

/**
 * Assembles the parts of a streamed answer into what the API would have answered whole, so that one translation reads
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
  /** The answer that the API would have given whole; before the end, as much of it as has arrived. */
  answer(): unknown;
}

/** Passes on what a part says; one that says nothing is still a sign of life. */
export function passOn(
  { text = '', thinking = '' }: { text?: string | undefined; thinking?: string | undefined },
  onDelta: OnDelta | undefined,
): void {
  if (text !== '') onDelta?.({ type: 'text', text });
  if (thinking !== '') onDelta?.({ type: 'thinking', text: thinking });
  if (text === '' && thinking === '') onDelta?.({ type: 'alive' });
}

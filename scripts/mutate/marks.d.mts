/** The text of a source file that calls `mutantReached(mark)` whenever the code of one of its places is come to. */
export function withMarks(
  file: string,
  text: string,
  places: readonly { start: number; end: number; mark: number }[],
): string;

const PREVIEW_CHARACTERS = 200;

/** Runs of blanks, line ends and control characters. A single blank is left out, since texts are full of them. */
const BLANKS = / [\s\p{Cc}]+|(?! )[\s\p{Cc}]+/gu;

/** The beginning of a text on one line, at most 200 characters and at most so many bytes as JSON. */
export function preview(text: string, maxBytes = Infinity): string {
  const line = text
    .slice(0, 4 * PREVIEW_CHARACTERS)
    .toWellFormed()
    .replace(BLANKS, ' ')
    .trim();
  const fits = (kept: string) =>
    kept.isWellFormed() && (maxBytes === Infinity || Buffer.byteLength(JSON.stringify(kept)) <= maxBytes);
  let end = Math.min(line.length, PREVIEW_CHARACTERS);
  while (end > 0 && !fits(line.slice(0, end))) end -= 1;
  return line.slice(0, end);
}

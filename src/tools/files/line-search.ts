import type { LinePattern } from './line-pattern.ts';

/** Between lines that do not follow one another, where lines around matches are shown. */
export const GAP = '--';

/** The most characters of a line that are shown, and how many of them come before the match. */
const MAX_SHOWN = 500;
const MAX_LEAD = 100;

/** Searches a file part by part, and keeps the lines that match with those around them, as they are shown. */
export class LineSearch {
  /** `path:line: text` of a match, `path-line- text` of a line beside one. */
  readonly shown: string[] = [];
  readonly #path: string;
  readonly #pattern: LinePattern;
  readonly #context: number;
  /** The number of the last line. */
  #line = 0;
  /** The lines before it that have not been shown, as many as may still be. */
  #before: string[] = [];
  /** How many lines are to be shown because of the last match. */
  #after = 0;
  #lastShown = 0;

  constructor(path: string, pattern: LinePattern, context: number) {
    this.#path = path;
    this.#pattern = pattern;
    this.#context = context;
  }

  /**
   * @param part whole lines, the last of which need not have an end
   * @param isLast whether nothing follows, so that lines need not be counted
   */
  add(part: string, isLast: boolean): void {
    const text = part.includes('\r') ? part.replaceAll('\r\n', '\n') : part;
    const canMatch = this.#pattern.mayMatchIn(text);
    if (!canMatch && this.#context === 0) {
      if (!isLast) this.#line += countLines(text);
      return;
    }
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    for (const line of lines) this.#addLine(line, canMatch);
  }

  #addLine(line: string, canMatch: boolean): void {
    this.#line++;
    if (canMatch && this.#pattern.matches(line)) {
      const first = this.#line - this.#before.length;
      this.#before.forEach((before, index) => this.#show(first + index, '-', before));
      this.#before = [];
      this.#show(this.#line, ':', line, this.#pattern);
      this.#after = this.#context;
    } else if (this.#after > 0) {
      this.#after--;
      this.#show(this.#line, '-', line);
    } else if (this.#context > 0) {
      this.#before.push(line);
      if (this.#before.length > this.#context) this.#before.shift();
    }
  }

  #show(number: number, mark: ':' | '-', line: string, pattern?: LinePattern): void {
    if (this.#context > 0 && this.#lastShown > 0 && number > this.#lastShown + 1) this.shown.push(GAP);
    this.#lastShown = number;
    this.shown.push(`${this.#path}${mark}${number}${mark} ${excerpt(line, pattern)}`);
  }
}

/** Of a long line, the text around the match. */
function excerpt(line: string, pattern: LinePattern | undefined): string {
  if (line.length <= MAX_SHOWN) return line;
  const match = pattern?.startIn(line) ?? 0;
  const start = Math.max(0, Math.min(match - MAX_LEAD, line.length - MAX_SHOWN));
  const shown = line.slice(start, start + MAX_SHOWN).toWellFormed();
  return `${start > 0 ? '…' : ''}${shown}${start + MAX_SHOWN < line.length ? '…' : ''}`;
}

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { escaped, svg } from '../../../../scripts/pictures/svg.ts';
import { review, TAKES_PICTURES } from '../../../fixtures/review.ts';
import { typedInTerminal, type Piece } from '../../../fixtures/terminal.ts';

const PICTURE = join(import.meta.dirname, '../../../../docs/pictures/terminal.svg');
const SIZE = { columns: 98, rows: 30 };
const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 20;
/** The palette's names for the colours of terminals that `cadre` uses. */
const COLOURS = new Map([
  [1, 'bad'],
  [2, 'good'],
  [3, 'attention'],
  [5, 'quiet'],
  [6, 'accent'],
]);
const ALT =
  'A terminal: a review by five agents waits for an approval, which is given, and ends with its answer and its costs';

test('the picture of a terminal in the docs shows what a terminal shows', async () => {
  const prompt = 'Review the change to payments';
  const run = typedInTerminal(['run', 'review', '-p', prompt], await review(), SIZE);
  await run.shows('Allow edit_file', 'choose, or type an answer');
  const waiting = run.painted();
  run.type('1\r');
  expect(await run.ended()).toBe(0);
  const end = run.painted();
  const answered = end.slice(end.findIndex((line) => textOf(line).startsWith('› approve')));
  const command = [plain('$ ', true), plain(`cadre run review -p "${prompt}"`)];
  const picture = drawn([command, ...waiting.slice(0, -2), ...answered]);
  // Takes the picture anew: the models take their time then.
  if (TAKES_PICTURES) await writeFile(PICTURE, picture);
  expect(timeless(await readFile(PICTURE, 'utf8'))).toBe(timeless(picture));
});

function plain(text: string, isDim = false): Piece {
  return { text, colour: undefined, isBold: false, isDim, isInverse: false };
}

function textOf(line: readonly Piece[]): string {
  return line.map(({ text }) => text).join('');
}

function drawn(lines: readonly (readonly Piece[])[]): string {
  const width = Math.ceil(SIZE.columns * CHARACTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  return svg(width, height, ALT, [
    `<rect width="${width}" height="${height}" rx="8" fill="var(--surface)" stroke="var(--line)"/>`,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">',
    ...lines.map((line, index) => lineOf(line, MARGIN + (index + 0.75) * LINE)),
    '</g>',
  ]);
}

/** Each piece stands at its column, whatever the font of the reader is. */
function lineOf(line: readonly Piece[], y: number): string {
  let column = 0;
  const spans = line.map(({ text, colour, isBold, isDim }) => {
    const ink = colour === undefined ? (isDim ? 'muted' : 'text') : COLOURS.get(colour);
    const x = (MARGIN + column * CHARACTER).toFixed(1);
    column += text.length;
    const shown = escaped(text).replaceAll(' ', '\u00a0');
    return `<tspan x="${x}" fill="var(--${ink})"${isBold ? ' font-weight="700"' : ''}>${shown}</tspan>`;
  });
  return `<text y="${y}">${spans.join('')}</text>`;
}

/** Without what differs from run to run. */
function timeless(picture: string): string {
  return picture.replaceAll(/\d+\.\ds/g, 'TIME').replaceAll(/\b[0-9a-z]{14}\b/g, 'KEY');
}

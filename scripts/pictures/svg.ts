import { readFileSync } from 'node:fs';

const PALETTE = new URL('../../src/doors/console/palette.css', import.meta.url);

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/** What pictures use of the page's palette. */
const COLOURS =
  'text muted accent good bad attention quiet surface raised selected attention-soft line edge'.split(' ');

/** A picture in the colours of the page, light or dark as its reader likes it. @param alt what it shows, in words */
export function svg(width: number, height: number, alt: string, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(alt)}">
<style>
${colours()}
</style>
${content.join('\n')}
</svg>
`;
}

interface Text {
  ink?: string;
  size?: number;
  anchor?: 'start' | 'middle' | 'end';
  isBold?: boolean;
}

/** @param y of the middle of its line */
export function text(
  x: number,
  y: number,
  content: string,
  { ink = 'text', size = 15, anchor = 'start', isBold = false }: Text = {},
): string {
  return `<text x="${x}" y="${y}" dy="0.35em" font-size="${size}" font-family="${FONT}" fill="var(--${ink})" text-anchor="${anchor}"${isBold ? ' font-weight="700"' : ''}>${escaped(content)}</text>`;
}

/** A box with a name in its middle, and a word about it below. */
export function box(
  x: number,
  y: number,
  width: number,
  height: number,
  name: string,
  about = '',
  edge = 'edge',
): string {
  const [middle, line] = [x + width / 2, y + height / 2];
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="var(--surface)" stroke="var(--${edge})" stroke-width="1.5"/>`,
    text(middle, about === '' ? line : line - 10, name, { anchor: 'middle', isBold: true }),
    ...(about === '' ? [] : [text(middle, line + 12, about, { anchor: 'middle', ink: 'muted', size: 13 })]),
  ].join('\n');
}

/** A line through these points, with a head at its end. */
export function arrow(...points: readonly (readonly [number, number])[]): string {
  const [end = [0, 0], before = [0, 0]] = points.toReversed();
  const turned = Math.round((Math.atan2(end[1] - before[1], end[0] - before[0]) * 180) / Math.PI);
  return [
    `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" stroke="var(--edge)" stroke-width="1.5"/>`,
    `<path d="M0 0 -9 -4.5 -9 4.5Z" fill="var(--edge)" transform="translate(${end.join(' ')}) rotate(${turned})"/>`,
  ].join('\n');
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function colours(): string {
  const [light = '', dark = ''] = readFileSync(PALETTE, 'utf8')
    .split('@media')
    .map((theme) => {
      const named = COLOURS.map((name) => [name, new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(theme)?.[1]]);
      return `svg { ${named.map(([name, colour]) => `--${name}: ${colour};`).join(' ')} }`;
    });
  return `${light}\n@media (prefers-color-scheme: dark) { ${dark} }`;
}

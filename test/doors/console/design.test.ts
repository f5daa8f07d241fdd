import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../../src/doors/console');
const sheets = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.css'))
  .map((file) => ({ file, text: readFileSync(join(FOLDER, file), 'utf8').replace(/\/\*[^]*?\*\//g, '') }));
const [base = '', palette = ''] = ['base.css', 'palette.css'].map(
  (name) => sheets.find(({ file }) => file === name)?.text,
);

/** The colours of each theme, by the names of their tokens. */
const [light = {}, dark = {}] = [...palette.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) =>
  Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', colour]) => [name, colour]),
  ),
);
const themes = { light, dark: { ...light, ...dark } };

const INKS = ['text', 'muted', 'accent', 'good', 'bad', 'attention', 'quiet'];
const GROUNDS = ['background', 'surface', 'raised', 'selected', 'good-soft', 'bad-soft', 'attention-soft'];
/** Drawn without a text, on a card or the page. */
const MARKS = [
  'edge',
  'bar-own',
  'series-1',
  'series-2',
  'series-3',
  'series-4',
  'series-5',
  'series-6',
  'series-rest',
];

/** WCAG 2.2, "relative luminance" */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dim + 0.05);
}

test.each(['light', 'dark'] as const)('every ink is readable on every ground: %s', (theme) => {
  const colours = themes[theme];
  const pairs = [
    ...INKS.flatMap((ink) => GROUNDS.map((ground) => [ink, ground, 4.5] as const)),
    ['on-accent', 'accent', 4.5] as const,
    ...MARKS.flatMap((mark) => ['background', 'surface'].map((ground) => [mark, ground, 3] as const)),
  ];
  const faint = pairs
    .map(([ink, ground, least]) => ({
      ink,
      ground,
      least,
      is: contrast(colours[ink] ?? '', colours[ground] ?? ''),
    }))
    .filter(({ is, least }) => !(is >= least));
  expect(faint).toEqual([]);
});

test('sheets take every colour, size of type and family from the tokens, and every token is there', () => {
  const known = new Set([...`${palette}${base}`.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
  const faults = sheets.flatMap(({ file, text }) => {
    const rules = text.replace(/:root \{[^}]*\}/g, '');
    const literals = [...rules.matchAll(/[\s(](#[0-9a-f]{3,8}|(?:rgb|hsl|oklch)a?\([^)]*\)+)/gi)];
    const inks = [...rules.matchAll(/(?:^|[;{\s])color: ([^;]+);/g)].filter(
      ([, value = '']) =>
        value !== 'inherit' && ![...INKS, 'on-accent'].some((ink) => value === `var(--${ink})`),
    );
    const sizes = [...rules.matchAll(/font(?:-size|-family)?: ([^;]+);/g)].filter(
      ([, value = '']) => !/^(var\(--(font-[\w]+|mono)\)|inherit|0\.92em)$/.test(value),
    );
    const unknown = [...rules.matchAll(/var\(--([\w-]+)/g)].filter(([, name]) => !known.has(name));
    return [...literals, ...inks, ...sizes, ...unknown].map(([found]) => `${file}: ${found.trim()}`);
  });
  // What a dialog lies over is dimmed, whatever it is.
  expect(faults).toEqual(['base.css: rgb(0 0 0 / 0.35)']);
});

test('what is written as HTML elsewhere has the colours of the page', () => {
  const known = new Set(Object.values(themes).flatMap((colours) => Object.values(colours)));
  const src = join(FOLDER, '../..');
  const foreign = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/[:\s]#[0-9a-f]{6}\b/g)].map(([found]) => ({
        file,
        colour: found.slice(1),
      })),
    )
    .filter(({ colour }) => !known.has(colour));
  expect(foreign).toEqual([]);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const pitfalls = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8');
const LAYOUT = /^## Layout\n\n```\n([\s\S]*?)\n```$/m.exec(text)?.[1] ?? '';
const FOLDER =
  /^(src|test|docs|infra|functions|agents|templates|schemas|bench|chaos|simulate|scripts|tools)\//;
const FILE = /^[\w./-]+\.(ts|tsx|mjs|json|md)$/;

/** Whether a path is there; the name of a file alone stands for one beside a file that the same paragraph names. */
function isThere(path: string, named: readonly string[]): boolean {
  const folders = path.includes('/') ? ['.'] : ['.', ...named.map((other) => dirname(other)), ...named];
  return folders.some((folder) => existsSync(join(ROOT, folder, path)));
}

test('every file and folder that CONTRIBUTING and AGENTS name is there', () => {
  const paragraphs = `${text}\n\n${pitfalls}`.split(/\n\n|\n(?=\d+\. )/).map((paragraph) => {
    const spans = [...paragraph.matchAll(/`([^`\n<>]+)`|\]\(([^)#\n]+)\)/g)].map(
      ([, code, link]) => code ?? link ?? '',
    );
    return spans.filter((span) => !span.includes(' ') && !span.startsWith('dist/'));
  });
  const paths = paragraphs.flatMap((spans) => {
    const named = spans.filter((span) => FOLDER.test(span));
    return spans
      .filter((span) => FOLDER.test(span) || FILE.test(span))
      .map((path) => ({ path, isThere: isThere(path, named) }));
  });
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => !path.isThere)).toEqual([]);
});

test('the tests that the table of attacks names are there', () => {
  const samples = [...text.matchAll(/^\| `[\w-]+` +\|[^|]*\|([^|]*)\|$/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, sample]) => sample ?? ''),
  );
  const tests = readdirSync(join(ROOT, 'test'), { encoding: 'utf8', recursive: true });
  const isTest = (sample: string) => {
    const fits = picomatch(`${sample}{,.slow}.test.ts`);
    return tests.some((path) => fits(path));
  };
  expect(samples.length).toBeGreaterThan(8);
  expect(samples.filter((sample) => !isTest(sample))).toEqual([]);
});

test('the layout fits on a screen and names what there is', () => {
  const lines = LAYOUT.split('\n');
  expect(lines.length).toBeLessThanOrEqual(45);
  const open: string[] = [];
  const named = lines.flatMap((line) => {
    const [, indent = '', names = ''] = /^( *)((?:[\w-]+\/(?:, )?)+)/.exec(line) ?? [];
    if (names === '') return [];
    open.length = indent.length / 2;
    const paths = names.split(', ').map((name) => [...open, name].join(''));
    open.push(names);
    return paths;
  });
  const isFolder = (path: string) => existsSync(join(ROOT, path, '.'));
  expect(named.filter((path) => !isFolder(path))).toEqual([]);
  const foldersIn = (folder: string) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${folder}${entry.name}/`);
  expect(foldersIn('src/').filter((path) => !named.includes(path))).toEqual([]);
  expect(foldersIn('src/core/').filter((path) => !named.includes(path))).toEqual([]);
});

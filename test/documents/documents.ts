import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The documents of the repository, by path: those for users, those that a code host shows, and those of examples. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
    ...readdirSync(join(ROOT, 'examples')).map((name) => join('examples', name, 'README.md')),
  ].map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

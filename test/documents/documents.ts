import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The documents of the repository, by path: those for users, and those that a code host shows. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ].map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);

import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as v from 'valibot';

const ROOT = join(import.meta.dirname, '../../..');

const Packed = v.pipe(
  v.string(),
  v.parseJson(),
  v.tuple([v.object({ files: v.array(v.object({ path: v.string() })) })]),
);

test('every file that a packed document leads to is packed with it', async () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = v.parse(Packed, listed);
  const paths = files.map(({ path }) => path);
  const isPacked = (way: string) => paths.some((path) => path === way || path.startsWith(`${way}/`));
  const documents = paths.filter((path) => /^(docs\/.*|[^/]*)\.md$/.test(path));
  const dead: string[] = [];
  for (const document of documents) {
    for (const way of waysIn(await readFile(join(ROOT, document), 'utf8'))) {
      const led = new URL(way, `file:///${document}`).pathname.slice(1).replace(/\/$/, '');
      if (!isPacked(led)) dead.push(`${document}: ${way}`);
    }
  }
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/agents.md']));
  expect(dead).toEqual([]);
});

/** The relative links and pictures of a document, without those within it. */
function waysIn(text: string): string[] {
  const found = [...text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$|src(?:set)?="([^"]+)"/gm)];
  const ways = found.map(([, link, reference, picture]) => link ?? reference ?? picture ?? '');
  return ways.filter((way) => !/^(https?:|mailto:|#)/.test(way));
}

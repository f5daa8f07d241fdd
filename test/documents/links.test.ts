import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { FRONT_PAGE, sectionsOf } from '../../scripts/documents/contents.ts';
import { anchorsIn, codeBlocksIn, waysIn, withWays } from '../../scripts/documents/markdown.ts';
import { DOCUMENTS, ROOT } from './documents.ts';

const DECISIONS = 'docs/decisions/README.md';

test('every link and anchor of a document leads somewhere', () => {
  const dead: string[] = [];
  let followed = 0;
  for (const [path, text] of DOCUMENTS) {
    for (const { target } of waysIn(text)) {
      if (/^(https?:|mailto:)/.test(target)) continue;
      followed += 1;
      const [way = '', anchor] = target.split('#');
      const to = way === '' ? path : posix.join(posix.dirname(path), way);
      const anchors = anchorsIn(DOCUMENTS.get(to) ?? '');
      const isThere = existsSync(join(ROOT, to)) && (anchor === undefined || anchors.includes(anchor));
      if (!isThere) dead.push(`${path}: ${target}`);
    }
  }
  expect(dead).toEqual([]);
  expect(followed).toBeGreaterThan(500);
});

test('every page of the documentation is listed, once', () => {
  const listed = [FRONT_PAGE, DECISIONS].flatMap((list) => {
    const text = DOCUMENTS.get(list) ?? '';
    return sectionsOf(text, list).flatMap(({ pages }) => pages.map(({ path }) => path));
  });
  const pages = [...DOCUMENTS.keys()].filter((path) => path.startsWith('docs/') && path !== FRONT_PAGE);
  expect(listed.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(pages.toSorted());
});

test('links are found where Markdown has them, and nowhere in code', () => {
  const text = [
    'A [link](a.md#b "title"), [another\none](b.md), `[code](c.md)`, ![picture](d.png)',
    '[reference]: e.md',
    '```md\n[fenced](f.md)\n```',
    '<img alt="x" src="g.png">',
  ].join('\n\n');
  expect(waysIn(text).map(({ target }) => target)).toEqual(['a.md#b', 'b.md', 'd.png', 'e.md', 'g.png']);
  expect(withWays(text, (target) => target.replace('md', 'html'))).toBe(
    text.replaceAll(/(?<=\()([ab])\.md/g, '$1.html').replace('e.md', 'e.html'),
  );
});

test('anchors are those of code hosts, and blocks have no indent of their list', () => {
  expect(anchorsIn('# A `b`: c?\n\n## What it costs\n\n```\n# no\n```\n\n## What it costs')).toEqual([
    'a-b-c',
    'what-it-costs',
    'what-it-costs-1',
  ]);
  expect(codeBlocksIn('- x\n\n  ```sh\n  a\n    b\n  ```\n')).toEqual([
    { language: 'sh', code: 'a\n  b\n', line: 4 },
  ]);
});

test('every column of a table has a head, for those who hear it', () => {
  const tables = [...DOCUMENTS].flatMap(([path, text]) =>
    [...text.matchAll(/^(\|.*\|)\n\|(?: ?:?-+:? ?\|)+$/gm)].map(([, head = '']) => `${path}: ${head}`),
  );
  expect(tables.filter((head) => /\| *\|/.test(head))).toEqual([]);
  expect(tables.length).toBeGreaterThan(50);
});

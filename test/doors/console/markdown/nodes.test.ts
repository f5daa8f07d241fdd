import { describe, expect, test } from 'vitest';
import { safeAddress } from '../../../../src/doors/console/shared/markdown/safe-address.ts';
import { shown } from './shown.ts';

const link = (href: string, ...shownAs: unknown[]) => [
  'a',
  { href, title: href, target: '_blank', rel: 'noopener noreferrer' },
  ...shownAs,
];
const leadsTo = (place: string) => ['span', { class: 'leads-to' }, ' (', place, ')'];

describe('Markdown becomes nodes', () => {
  test('of headings, paragraphs, emphasis and code within them', () => {
    expect(
      shown(
        '# One\n\n### Two *more*\n\nA **b** ~~c~~ `d &amp; <e>` f &amp; &lt;g&gt;\\*\nnext  \nlast\n\n---',
      ),
    ).toEqual([
      ['h4', { class: 'depth-1' }, 'One'],
      ['h4', { class: 'depth-3' }, 'Two ', ['em', {}, 'more']],
      [
        'p',
        {},
        'A ',
        ['strong', {}, 'b'],
        ' ',
        ['del', {}, 'c'],
        ' ',
        ['code', {}, 'd &amp; <e>'],
        ' f & <g>',
        '*',
        '\nnext',
        '\n',
        'last',
      ],
      ['hr', {}],
    ]);
  });

  test('of lists, also of tasks and within each other', () => {
    expect(shown('3. three\n4. four\n   - [x] done\n   - [ ] open\n\n> quoted\n> > twice')).toEqual([
      [
        'ol',
        { start: 3 },
        ['li', {}, 'three'],
        [
          'li',
          {},
          'four',
          [
            'ul',
            {},
            ['li', { class: 'task' }, ['span', { role: 'img', 'aria-label': 'done' }, '☑', ' '], 'done'],
            ['li', { class: 'task' }, ['span', { role: 'img', 'aria-label': 'open' }, '☐', ' '], 'open'],
          ],
        ],
      ],
      ['blockquote', {}, ['p', {}, 'quoted'], ['blockquote', {}, ['p', {}, 'twice']]],
    ]);
  });

  test('of tables', () => {
    expect(shown('| a | b |\n|---|--:|\n| *1* | 2 |')).toEqual([
      [
        'div',
        { class: 'table', role: 'group', 'aria-label': 'Table', tabIndex: 0 },
        [
          'table',
          {},
          [
            'thead',
            {},
            ['tr', {}, ['th', { scope: 'col' }, 'a'], ['th', { scope: 'col', class: 'right' }, 'b']],
          ],
          ['tbody', {}, ['tr', {}, ['td', {}, ['em', {}, '1']], ['td', { class: 'right' }, '2']]],
        ],
      ],
    ]);
  });

  test('of code with its language, of HTML as it is written, of pictures as links', () => {
    expect(
      shown(
        '```ts title\nconst a = 1;\n```\n\n<b onclick="x()">bold</b>\n\n![a cat](https://example.org/cat.png)',
      ),
    ).toEqual([
      ['CodeBlock', { text: 'const a = 1;', language: 'ts title' }],
      ['p', {}, '<b onclick="x()">', 'bold', '</b>'],
      ['p', {}, link('https://example.org/cat.png', '[image: a cat]'), leadsTo('example.org')],
    ]);
  });

  test('of links with the place that they lead to, and of those that are not safe as text', () => {
    expect(
      shown(
        '[Bank](https://bank.example@evil.example/x) <mailto:me@example.org> https://example.org/a\n' +
          '[a](javascript:alert(1)) [b](JaVa\tScript:x) [c](data:text/html,x) [d](/relative) [e](&#106;avascript:x)\n' +
          '[f][one]\n\n[one]: vbscript:x',
      ),
    ).toEqual([
      [
        'p',
        {},
        link('https://bank.example@evil.example/x', 'Bank'),
        leadsTo('evil.example'),
        ' ',
        link('mailto:me@example.org', 'mailto:me@example.org'),
        ' ',
        link('https://example.org/a', 'https://example.org/a'),
        '\n',
        'a',
        ' (javascript:alert(1))',
        ' [b](JaVa\tScript:x) ',
        'c',
        ' (data:text/html,x)',
        ' ',
        'd',
        ' (/relative)',
        ' ',
        'e',
        ' (&#106;avascript:x)',
        '\n',
        'f',
        ' (vbscript:x)',
      ],
    ]);
  });
});

test('an address is safe if it is one of the web or of mail', () => {
  expect(safeAddress('https://ex\u0430mple.org/a b')).toEqual({
    href: 'https://xn--exmple-4nf.org/a%20b',
    place: 'xn--exmple-4nf.org',
  });
  expect(safeAddress('mailto:me@example.org')).toEqual({
    href: 'mailto:me@example.org',
    place: 'me@example.org',
  });
  for (const other of [
    'ftp://a',
    'file:///etc/passwd',
    '\u0001javascript:x',
    ' java\nscript:x',
    '//a.b',
    'a',
    '',
    'http://',
    'blob:http://a/b',
  ]) {
    expect(safeAddress(other)).toBeUndefined();
  }
});

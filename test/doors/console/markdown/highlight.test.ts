import { expect, test } from 'vitest';
import { highlighted } from '../../../../src/doors/console/shared/markdown/highlight.ts';
import { plain } from './shown.ts';

const LINE = `${'x'.repeat(299)}\n`;

test('code is coloured in its language, within each other', () => {
  expect(plain(highlighted('const a = `${1}`;', 'ts'))).toEqual([
    ['span', { class: 'hljs-keyword' }, 'const'],
    ' a = ',
    [
      'span',
      { class: 'hljs-string' },
      '`',
      ['span', { class: 'hljs-subst' }, '${', ['span', { class: 'hljs-number' }, '1'], '}'],
      '`',
    ],
    ';',
  ]);
});

test.each([
  ['in a language that is not known here', 'a', 'cobol', false],
  ['as long as it may be', LINE.repeat(33) + 'x'.repeat(100), 'json', true],
  ['a character longer', LINE.repeat(33) + 'x'.repeat(101), 'json', false],
  ['of lines as long as they may be', LINE, 'json', true],
  ['of a line that is longer', `x${LINE}`, 'json', false],
])('code %s', (_, code, language, isColoured) => {
  expect(highlighted(code, language) !== undefined).toBe(isColoured);
});

import { expect, test } from 'vitest';
import { cutMiddle, leftOut } from '../../../src/core/turn/cut-text.ts';
import { isElsewhere } from '../../../src/core/turn/link-target.ts';
import { keepWhole } from '../../../src/core/turn/long-result.ts';
import { WorkspaceError } from '../../../src/core/agent-schema/workspace.ts';
import { NO_WORKSPACE } from '../../../src/core/lifecycle/no-workspace.ts';

test('a long text keeps three quarters of what is shown at its beginning, and a quarter at its end', () => {
  const text = '0123456789abcdefghij';
  expect([
    cutMiddle(text, 8),
    cutMiddle(text, 11, { whole: 'a.txt' }),
    cutMiddle('a😀bcdefghijklmno', 3),
  ]).toEqual([
    '012345\n\n[12 of 20 characters left out]\n\nij',
    '01234567\n\n[10 of 20 characters left out; the whole result is in a.txt]\n\nij',
    'a\uFFFD\n\n[15 of 17 characters left out]\n\n',
  ]);
  expect([leftOut({ text }), leftOut({ text: '', whole: 'a.txt' })]).toEqual([
    '[result left out: 20 characters]',
    '[result left out: 0 characters; the whole result is in a.txt]',
  ]);
});

const TEXT = 'x'.repeat(60_000);
const SHOWN = (place: string) =>
  `${'x'.repeat(36_000)}\n\n[12000 of 60000 characters left out${place}]\n\n${'x'.repeat(12_000)}`;
const READING = [{ name: 'read_file', description: '', parameters: { type: 'object' as const } }];

test.each<[string, Error | undefined, typeof READING, object]>([
  ['in a file', undefined, READING, { text: SHOWN('; the whole result is in r.txt'), whole: 'r.txt' }],
  [
    'in a file that is there already',
    new WorkspaceError('exists', 'r.txt'),
    READING,
    { text: SHOWN('; the whole result is in r.txt'), whole: 'r.txt' },
  ],
  ['nowhere, if there is no room', new WorkspaceError('special', 'r.txt'), READING, { text: SHOWN('') }],
  ['where its model cannot read it', undefined, [], { text: SHOWN('') }],
])('a result that is too long is kept whole %s', async (_, fault, tools, expected) => {
  const written: unknown[] = [];
  const workspace = {
    ...NO_WORKSPACE,
    write: async (path: string, bytes: Uint8Array, over: string | undefined) => {
      if (fault !== undefined) throw fault;
      written.push([path, new TextDecoder().decode(bytes), over]);
      return '';
    },
  };
  expect(await keepWhole(TEXT, { workspace, resultPath: 'r.txt' }, tools)).toEqual(expected);
  expect(written).toEqual(fault === undefined ? [['r.txt', TEXT, undefined]] : []);
});

test.each([
  ['a/b', 'a/b', false],
  ['./a//b/', 'a/b', false],
  ['a/../b', 'b', false],
  ['a/b', 'c/b', true],
  ['b', 'a/b', true],
  ['/home/ada/a/b', 'a/b', false],
  ['/home/ada/xa/b', 'a/b', true],
  ['/home/ada/a/b/c', 'a/b', true],
])('the path %s leads elsewhere than %s: %s', (written, real, expected) => {
  expect(isElsewhere(written, real)).toBe(expected);
});

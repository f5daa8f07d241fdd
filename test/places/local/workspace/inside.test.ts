import { posix, win32 } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isInside, wayIn } from '../../../../src/places/local/workspace/inside.ts';

describe.each([
  ['POSIX', posix, '/work/shop'],
  ['Windows', win32, 'C:\\work\\shop'],
  ['a share of Windows', win32, '\\\\server\\work\\shop'],
] as const)('by the rules of %s', (_, rules, root) => {
  const name = fc.stringMatching(/^[a-z0-9. -]{1,8}$/).filter((each) => /[^. ]/.test(each));

  test('a way into a folder is parted by slashes, leads back, and stays inside', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const real = rules.join(root, ...names);
        expect(isInside(real, root, rules)).toBe(true);
        expect(wayIn(root, real, rules)).toBe(names.join('/'));
        expect(rules.resolve(root, wayIn(root, real, rules))).toBe(real);
      }),
    );
  });

  test('what lies beside or above it is outside, and what only begins like its parent is not', () => {
    expect([root, rules.join(root, '..a')].map((path) => isInside(path, root, rules))).toEqual([true, true]);
    const others = [rules.dirname(root), `${root}2`, rules.join(root, '..', 'other'), rules.join(root, '..')];
    expect(others.filter((path) => isInside(path, root, rules))).toEqual([]);
  });
});

test('on Windows, case makes no other path, and another drive is outside', () => {
  expect(isInside('c:\\WORK\\shop\\a', 'C:\\work\\shop', win32)).toBe(true);
  expect(isInside('D:\\work\\shop\\a', 'C:\\work\\shop', win32)).toBe(false);
  expect(isInside('\\\\server\\share\\a', 'C:\\work\\shop', win32)).toBe(false);
});

test('elsewhere, a backslash is part of a name', () => {
  expect(wayIn('/work', '/work/a\\b', posix)).toBe('a\\b');
});

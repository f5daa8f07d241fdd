import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it, test } from 'vitest';
import { compileGlob } from '../../../src/core/agent-schema/glob.ts';
import { ConfigError } from '../../../src/errors.ts';

const names = fc.string({ unit: fc.constantFrom('a', 'b', '.', 'c'), minLength: 1, maxLength: 4 });
const paths = fc
  .array(
    names.filter((name) => !/^\.+$/.test(name)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'));
const parts = fc.oneof(
  fc.constant('**'),
  fc
    .array(fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^b]', '{a,b}', '{a,*c}', '.', '{b,}c'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((some) => some.join('').replaceAll(/\*+/g, '*'))
    .filter((part) => !/^\.+$/.test(part)),
);
const patterns = fc
  .array(parts, { minLength: 1, maxLength: 3 })
  // Of several, the others mean nothing.
  .map((some) => some.filter((part, at) => part !== '**' || some[at - 1] !== '**').join('/'));

describe('a pattern of paths', () => {
  it('fits what it fits elsewhere', () => {
    fc.assert(
      fc.property(patterns, paths, (pattern, path) => {
        const expected = picomatch.isMatch(path, pattern, { dot: true, nonegate: true, noextglob: true });
        expect([pattern, path, compileGlob(pattern, { dots: true })(path)]).toEqual([
          pattern,
          path,
          expected,
        ]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['(app)/*.ts', '(app)/a.ts', true],
    ['src/**', 'src', true],
    ['**/a', 'a', true],
    ['a/*', 'a', false],
    ['*\n*', 'a\nb', true],
    ['\\*', 'a', false],
    ['\\*', '*', true],
    ['[[]a', '[a', true],
    ['{a}', '{a}', true],
    ['a[', 'a[', true],
    ['{a,{b,c}/d}', 'c/d', true],
    ['[a-c]{1,2}', 'b2', true],
    ['[,{]{a,b}', '{b', true],
  ])('%j holds %j: %j', (pattern, path, expected) => {
    expect(compileGlob(pattern, { dots: true })(path)).toBe(expected);
  });

  it('costs no more than its length times the length of a path, however many stars it has', () => {
    // With backtracking, any of these takes longer than the universe has been there.
    const name = 'a'.repeat(4_095);
    expect(compileGlob(`${'*a'.repeat(40)}b`, { dots: true })(name)).toBe(false);
    expect(compileGlob(`${'**/a/'.repeat(40)}b`, { dots: true })('a/'.repeat(2_000) + 'a')).toBe(false);
    expect(compileGlob(`${'*{a,b}'.repeat(9)}c`, { dots: true })(name)).toBe(false);
  });

  it('with more alternatives than anybody writes is refused', () => {
    expect(() => compileGlob('{a,b}'.repeat(11), { dots: true })).toThrow(
      new ConfigError(`pattern "${'{a,b}'.repeat(11)}" has more than 1000 alternatives`),
    );
  });
});

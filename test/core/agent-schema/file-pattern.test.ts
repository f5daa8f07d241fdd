import { expect, test } from 'vitest';
import { compilePattern } from '../../../src/core/agent-schema/file-pattern.ts';

test.each([
  ['src/*a*a*a*a*b', 'more than 4 "*" in one part'],
  ['**/a/**/a/**/a/**/a/**/b', 'more than 4 "**"'],
])('a pattern that could be matched for ever is refused: %s', (pattern, reason) => {
  expect(() => compilePattern(pattern)).toThrow(`invalid glob pattern "${pattern}": ${reason}`);
});

test.each([
  ['src/*a*a*a*b', 'src/xayazab'],
  ['**/a/**/a/**/a/**/b', 'a/x/a/a/y/z/b'],
])('a pattern with as many stars as there may be is held against paths: %s', (pattern, path) => {
  expect(compilePattern(pattern).matches(path)).toBe(true);
});

test('stars of several parts are not added up', () => {
  expect(compilePattern('**/*.*.*/*-*-*.md').matches('x/a.b.c/1-2-3.md')).toBe(true);
});

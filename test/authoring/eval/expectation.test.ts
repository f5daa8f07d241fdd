import * as v from 'valibot';
import { expect, test } from 'vitest';
import { expectationSchema, expectationText } from '../../../src/authoring/eval/expectation.ts';

test.each<[written: object, meant: object, text: string]>([
  [{ contains: 'a"b' }, { kind: 'contains', text: 'a"b' }, String.raw`contains "a\"b"`],
  [{ matches: '^a$' }, { kind: 'matches', pattern: '^a$' }, 'matches /^a$/'],
  [{ schema: 's.json' }, { kind: 'schema', path: 's.json' }, 'schema s.json'],
  [{ file: 'f' }, { kind: 'file', path: 'f' }, 'file f'],
  [
    { file: 'f', contains: 'a', matches: 'b' },
    { kind: 'file', path: 'f', contains: 'a', matches: 'b' },
    'file f contains "a" matches /b/',
  ],
  [{ file: 'f', matches: 'b' }, { kind: 'file', path: 'f', matches: 'b' }, 'file f matches /b/'],
  [{ calls: 't' }, { kind: 'calls', tool: 't', atLeast: 1 }, 'calls t'],
  [{ calls: 't', at_least: 2 }, { kind: 'calls', tool: 't', atLeast: 2 }, 'calls t at least 2'],
  [{ calls: 't', at_most: 0 }, { kind: 'calls', tool: 't', atLeast: 0, atMost: 0 }, 'calls t at most 0'],
  [
    { calls: 't', at_least: 2, at_most: 3 },
    { kind: 'calls', tool: 't', atLeast: 2, atMost: 3 },
    'calls t at least 2 at most 3',
  ],
  [{ not_calls: 't' }, { kind: 'not_calls', tool: 't' }, 'not_calls t'],
  [{ turns_at_most: 1 }, { kind: 'turns_at_most', most: 1 }, 'turns_at_most 1'],
  [{ usd_at_most: 0 }, { kind: 'usd_at_most', most: 0 }, 'usd_at_most 0'],
  [{ seconds_at_most: 0.5 }, { kind: 'seconds_at_most', most: 0.5 }, 'seconds_at_most 0.5'],
  [{ function: 'f.ts' }, { kind: 'function', path: 'f.ts' }, 'function f.ts'],
  [{ judge: 'good' }, { kind: 'judge', criterion: 'good', atLeast: 4 }, 'judge "good"'],
  [{ judge: 'good', at_least: 5 }, { kind: 'judge', criterion: 'good', atLeast: 5 }, 'judge "good"'],
])('what is written as %j is expected, and named in reports', (written, meant, text) => {
  const expectation = v.parse(expectationSchema, written);
  expect(expectation).toEqual(meant);
  expect(expectationText(expectation)).toBe(text);
});

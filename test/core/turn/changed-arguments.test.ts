import { expect, test } from 'vitest';
import { wrongChanges } from '../../../src/core/turn/changed-arguments.ts';

const TOOL = {
  parameters: {
    type: 'object' as const,
    properties: { path: { type: 'string' }, count: { type: 'integer' } },
    required: ['path', 'count'],
  },
};
const BEFORE = { path: 'a', count: 'three', odd: true };

test.each<[string, Record<string, unknown>, strict: string[], lenient: string[]]>([
  ['all right', { path: 'b', count: 3 }, [], []],
  ['as it was', BEFORE, ['argument "count" must be a whole number, not "three"'], []],
  [
    'without one',
    { path: 'b' },
    ['argument "count" is missing: it must be a whole number'],
    ['argument "count" is missing: it must be a whole number'],
  ],
  [
    'with nothing for one',
    { path: null, count: 3 },
    ['argument "path" must be text, not null'],
    ['argument "path" is missing: it must be text'],
  ],
  [
    'with one that JSON leaves out',
    { path: undefined, count: 3 },
    ['argument "path" is missing: it must be text'],
    ['argument "path" is missing: it must be text'],
  ],
  [
    'with a wrong one',
    { path: 'a', count: 'four' },
    ['argument "count" must be a whole number, not "four"'],
    ['argument "count" must be a whole number, not "four"'],
  ],
  [
    'with a new one that there is not',
    { path: 'a', count: 3, other: 1 },
    [],
    ['there is no argument "other", only path, count'],
  ],
])(
  'arguments %s are judged, and those of a tool that is built in more kindly',
  (_, given, strict, lenient) => {
    const call = { id: '1', name: 'x', arguments: BEFORE };
    const judged = [false, true].map((isLenient) =>
      wrongChanges(call, given, TOOL, isLenient).map(({ text }) => text),
    );
    expect(judged).toEqual([strict, lenient]);
  },
);

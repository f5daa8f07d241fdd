import * as v from 'valibot';
import { expect, test } from 'vitest';
import { parseTag, TagsSchema } from '../../../src/core/records/tags.ts';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'x']));
const NAME =
  'must begin with a small letter and have at most 40 characters: letters, digits, ".", "_" and "-"';

test.each<[unknown, string | undefined]>([
  [{}, undefined],
  [{ a: '', ['a'.repeat(40)]: 'x'.repeat(200), 'a.B_9-': 'x' }, undefined],
  [many(20), undefined],
  [many(21), 'must be at most 20'],
  [{ ['a'.repeat(41)]: 'x' }, NAME],
  [{ A: 'x' }, NAME],
  [{ '9': 'x' }, NAME],
  [{ 'a b': 'x' }, NAME],
  [{ a: 'x'.repeat(201) }, 'must have at most 200 characters'],
  [{ a: 1 }, 'must be a string'],
  ['a', 'must be an object'],
])('tags are few, short and have plain names: %#', (tags, fault) => {
  expect(v.safeParse(TagsSchema, tags).issues?.map(({ message }) => message)).toEqual(fault && [fault]);
});

test('a tag is typed with its value behind the first sign', () => {
  expect(['a=b', 'a=', 'a=b=c', '=b', 'a', ''].map(parseTag)).toEqual([
    ['a', 'b'],
    ['a', ''],
    ['a', 'b=c'],
    undefined,
    undefined,
    undefined,
  ]);
});

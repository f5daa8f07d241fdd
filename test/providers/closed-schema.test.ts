import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import { closedSchema } from '../../src/providers/closed-schema.ts';
import { simplifyParameters } from '../../src/core/tool-contracts/simplify-parameters.ts';
import { cases } from '../fixtures/cases.ts';

const of = (properties: { [name: string]: Json }, more = {}) => ({
  type: 'object' as const,
  properties,
  ...more,
});

it('names every property of every object, and leaves out what not every API takes', () => {
  const schema = of(
    {
      who: { ...of({ name: { type: 'string', pattern: '^a', format: 'email' } }, { required: ['name'] }) },
      tags: { type: 'array', items: { enum: ['a', 1, null] }, minItems: 1, uniqueItems: true },
      size: { type: ['integer', 'null'], minimum: 0, description: 'of the shoe' },
      either: { anyOf: [{ type: 'string', format: 'regex' }, { type: 'boolean' }] },
    },
    { required: ['who', 'tags', 'size', 'either'] },
  );
  expect(closedSchema(schema)).toEqual({
    isStrict: true,
    schema: {
      type: 'object',
      properties: {
        who: {
          type: 'object',
          properties: { name: { type: 'string', format: 'email' } },
          required: ['name'],
          additionalProperties: false,
        },
        tags: { type: 'array', items: { type: ['string', 'number', 'null'], enum: ['a', 1, null] } },
        size: { type: ['integer', 'null'], description: 'of the shoe' },
        either: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      },
      required: ['who', 'tags', 'size', 'either'],
      additionalProperties: false,
    },
  });
});

it('is not strict where a property is optional, however deep', () => {
  const inner = of({ a: { type: 'string' } });
  expect(closedSchema(of({ list: { type: 'array', items: inner } }, { required: ['list'] }))?.isStrict).toBe(
    false,
  );
});

it.each<[string, Parameters<typeof closedSchema>[0]]>([
  ['an object without properties', of({})],
  ['an object with others besides', of({ a: { type: 'string' } }, { additionalProperties: true })],
  ['a property that may be anything', of({ a: {} })],
  ['a list of anything', of({ a: { type: 'array', items: {} } })],
  ['a required property that is not described', of({ a: { type: 'string' } }, { required: ['b'] })],
  ['alternatives beside properties', of({ a: { anyOf: [{ type: 'string' }], type: 'object' } })],
])('there is none for %s', (_, schema) => {
  expect(closedSchema(schema)).toBeUndefined();
});

/** Schemas of all kinds, and values that have a chance to hold them. */
const leaf = fc.constantFrom<Json>(
  { type: 'string' },
  { type: 'integer' },
  { type: 'boolean' },
  { enum: ['x', 1] },
  { type: ['number', 'null'] },
  {},
);
const { schema: anySchema } = fc.letrec<{
  schema: Json;
  object: { type: 'object'; [keyword: string]: Json };
}>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('object'),
    tie('schema').map((items): Json => ({ type: 'array', items })),
    fc.tuple(tie('schema'), tie('schema')).map((anyOf): Json => ({ anyOf })),
  ),
  object: fc
    .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')), fc.subarray(['a', 'b', 'c']))
    .map(([properties, required]) => ({ type: 'object' as const, properties, required })),
}));
const value = fc.jsonValue({ maxDepth: 3 });
const likely = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('x', 1, true, null, 's'),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
})).value;

it('takes nothing that the schema does not take, but for the rules that are left out', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b'), anySchema),
      fc.oneof(value, likely),
      (properties, given) => {
        const schema = of(properties);
        const closed = closedSchema(simplifyParameters(schema).parameters);
        if (closed === undefined) return true;
        const holds = (by: object) => new Validator(by, '2020-12').validate(given).valid;
        return !holds(closed.schema) || holds(schema);
      },
    ),
    { numRuns: cases(300) },
  );
});

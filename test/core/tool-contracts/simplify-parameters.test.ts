import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/json.ts';
import { simplifyParameters } from '../../../src/core/tool-contracts/simplify-parameters.ts';
import { cases } from '../../fixtures/cases.ts';

test('a schema that every provider takes stays as it is, without a word', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'A city', minLength: 1 },
      units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
      days: { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 3 },
      where: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      more: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['city'],
    additionalProperties: false,
  };
  expect(simplifyParameters(schema)).toEqual({ parameters: schema, changes: [] });
});

test('references are put in their places, and one that leads round is cut', () => {
  const { parameters, changes } = simplifyParameters({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      from: { $ref: '#/$defs/place', description: 'where from' },
      tree: { $ref: '#/$defs/node' },
      other: { $ref: 'https://example.com/schema.json' },
    },
    $defs: {
      place: { type: 'object', properties: { name: { type: 'string' } }, description: 'a place' },
      node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } } },
    },
  });
  expect(parameters).toEqual({
    type: 'object',
    properties: {
      from: { type: 'object', properties: { name: { type: 'string' } }, description: 'where from' },
      tree: { type: 'object', properties: { child: {} } },
      other: {},
    },
    required: [],
  });
  expect(changes).toEqual(['a part that holds itself', 'a reference that leads nowhere']);
});

test('alternatives at the top become one object, which requires what all of them do', () => {
  expect(
    simplifyParameters({
      anyOf: [
        {
          type: 'object',
          properties: { id: { type: 'string' }, at: { type: 'string' } },
          required: ['id', 'at'],
        },
        {
          type: 'object',
          properties: { id: { type: 'string' }, name: { type: 'string' } },
          required: ['id'],
        },
      ],
    }),
  ).toEqual({
    parameters: {
      type: 'object',
      properties: { id: { type: 'string' }, at: { type: 'string' }, name: { type: 'string' } },
      required: ['id'],
    },
    changes: ['alternatives at the top'],
  });
});

test('parts that all hold are put together', () => {
  const { parameters, changes } = simplifyParameters({
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'string' } }, required: ['b'] },
    ],
  });
  expect(parameters).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a', 'b'],
  });
  expect(changes).toEqual([]);
});

test.each<[Json, string[]]>([
  [null, ['a part that is not a schema']],
  [[], ['a part that is not a schema']],
  ['object', ['a part that is not a schema']],
  [true, []],
  [{ type: 'string' }, ['arguments that are no object']],
  [
    { type: 'object', properties: { 'not a name': { type: 'string' } } },
    ['arguments whose names models cannot write'],
  ],
  [{ type: 'object', not: { required: ['x'] } }, ['"not"']],
])('%j is an object without arguments', (schema, changes) => {
  expect(simplifyParameters(schema)).toEqual({
    parameters: { type: 'object', properties: {}, required: [] },
    changes,
  });
});

const NUMBERS = {
  minimum: 1,
  maximum: 2,
  exclusiveMinimum: 0,
  exclusiveMaximum: 3,
  multipleOf: 1,
  minLength: 4,
  maxLength: 5,
  minItems: 6,
  maxItems: 7,
};

test.each<[Json, Json, ...string[]]>([
  [NUMBERS, NUMBERS],
  [Object.fromEntries(Object.keys(NUMBERS).map((keyword) => [keyword, '1'])), {}],
  [
    { pattern: '^a', format: 'date', uniqueItems: true },
    { pattern: '^a', format: 'date', uniqueItems: true },
  ],
  [{ pattern: 1, format: 2, uniqueItems: 'yes' }, {}],
  [{ enum: ['a', 1, true, null, [], {}] }, { enum: ['a', 1, true, null] }],
  [{ enum: [[]] }, {}],
  [{ enum: 'a' }, {}],
  [{ const: 'a' }, { enum: ['a'] }],
  [{ const: null }, { enum: [null] }],
  [{ const: {} }, {}],
  [{ default: 0 }, { default: 0 }],
  [{ default: [] }, {}],
  [{ title: 'A', examples: ['a'] }, {}],
  [{ type: ['string', 'null'] }, { type: ['string', 'null'] }],
  [{ type: ['integer', 'any'] }, { type: 'integer' }],
  [{ type: 'any' }, {}],
  [{ type: 'array' }, { type: 'array', items: {} }],
  [{ items: { type: 'number' } }, { type: 'array', items: { type: 'number' } }],
  [{ items: [{ type: 'number' }] }, { type: 'array', items: {} }],
  [{ type: 'boolean', items: [] }, { type: 'boolean' }],
  [{ properties: { b: true } }, { type: 'object', properties: { b: {} } }],
  [{ required: ['b', 7] }, { required: ['b'] }],
  [{ additionalProperties: true }, { additionalProperties: true }],
  [{ additionalProperties: { type: 'null' } }, { additionalProperties: { type: 'null' } }],
  [{ additionalProperties: 'no' }, {}],
  [{ description: 1 }, {}],
  [{ description: 'x'.repeat(1_001) }, { description: 'x'.repeat(1_000) }],
  [{ anyOf: 'none', oneOf: [{ type: 'null' }, { const: 1 }] }, { anyOf: [{ type: 'null' }, { enum: [1] }] }],
  [
    {
      type: 'object',
      properties: { b: { type: 'null' } },
      allOf: [{ properties: { b: { type: 'array' }, c: {} } }],
    },
    { type: 'object', properties: { b: { type: 'null' }, c: {} } },
  ],
  [
    { type: 'string', allOf: [{ type: 'null', required: ['b'] }] },
    { type: 'string', required: ['b'] },
  ],
  [{ allOf: [{ properties: { b: {} } }] }, { type: 'object', properties: { b: {} } }],
  [
    { $ref: '#/properties/other', description: 'this one' },
    { type: 'string', description: 'this one' },
  ],
  [{ $ref: '#/properties/other' }, { type: 'string', description: 'the other' }],
  [{ $ref: '#/properties/%6fther' }, { type: 'string', description: 'the other' }],
  [{ $ref: '#/%' }, {}, 'a reference that leads nowhere'],
  [{ $ref: 'other.json#/properties/other' }, {}, 'a reference that leads nowhere'],
  [7, {}, 'a part that is not a schema'],
  ...[
    'not if patternProperties propertyNames dependentRequired dependentSchemas dependencies contains prefixItems',
    'unevaluatedProperties $dynamicRef',
  ]
    .flatMap((keywords) => keywords.split(' '))
    .map((keyword): [Json, Json, string] => [{ [keyword]: {} }, {}, `"${keyword}"`]),
])('an argument of %j is one of %j', (argument, kept, ...changes) => {
  const other = { type: 'string', description: 'the other' };
  expect(simplifyParameters({ type: 'object', properties: { a: argument, other } })).toEqual({
    parameters: { type: 'object', properties: { a: kept, other }, required: [] },
    changes,
  });
});

/** Arrays of arrays, of which the innermost is so deep below the top. */
function nested(depth: number): Json {
  return Array.from({ length: depth }).reduce<Json>((items) => ({ type: 'array', items }), {
    type: 'string',
  });
}
const choices = (...counts: number[]): JsonObject =>
  Object.fromEntries(counts.map((count, n) => [`a${n}`, { anyOf: Array<Json>(count).fill({ default: 0 }) }]));
const args = (count: number, argument: Json = true) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, argument]));

test.each<[string, Json, JsonObject, ...string[]]>([
  ['ten parts in each other', { properties: { a: nested(9) } }, { a: nested(9) }],
  [
    'eleven',
    { properties: { a: nested(10) } },
    { a: JSON.parse(JSON.stringify(nested(10)).replace('{"type":"string"}', '{}')) },
    'parts nested too deeply',
  ],
  ['1,000 parts', { properties: choices(249, 249, 249, 248) }, choices(249, 249, 249, 248)],
  [
    'a part more',
    { properties: choices(249, 249, 249, 249) },
    { ...choices(249, 249, 249), a3: { anyOf: [...Array<Json>(248).fill({ default: 0 }), {}] } },
    'parts nested too deeply',
  ],
  ['1,001 arguments', { properties: args(1_001) }, args(1_000, {}), 'arguments, of which there are too many'],
  [
    '251 choices',
    { properties: { a: { anyOf: Array<Json>(251).fill(true), enum: Array<Json>(251).fill(0) } } },
    { a: { anyOf: Array<Json>(250).fill({}), enum: Array<Json>(250).fill(0) } },
  ],
  [
    '250 parts that all hold',
    { allOf: Array.from({ length: 250 }, (_, n) => ({ properties: { [`a${n}`]: true } })) },
    args(250, {}),
  ],
  [
    '251 of them',
    { allOf: Array.from({ length: 251 }, (_, n) => ({ properties: { [`a${n}`]: true } })) },
    args(250, {}),
    'parts of "allOf", of which there are too many',
  ],
])('of %s as many are kept as models take', (_, schema, properties, ...changes) => {
  expect(simplifyParameters(schema)).toEqual({
    parameters: { type: 'object', properties, required: [] },
    changes,
  });
});

test.each<[string, Json, JsonObject, ...string[]]>([
  ['nothing is said', {}, {}],
  ['a list of types has an object', { type: ['null', 'object'] }, {}],
  [
    'a list of types has none',
    { type: ['null', 'array'], description: 'many', properties: { a: true } },
    { properties: { a: {} } },
    'arguments that are no object',
  ],
  [
    'there are words and rules beside the arguments',
    { type: 'object', description: 'many', additionalProperties: false, enum: [1], items: {} },
    { description: 'many', additionalProperties: false },
  ],
  [
    'alternatives stand beside arguments, of which the latter count',
    {
      properties: { a: { type: 'null' }, c: true },
      required: ['c', 'd'],
      oneOf: [{ properties: { a: { type: 'array' }, b: true }, required: ['b', 'c'] }, { required: ['b'] }],
    },
    { properties: { b: {}, a: { type: 'null' }, c: {} }, required: ['c', 'b'] },
    'alternatives at the top',
  ],
])('the top is an object where %s', (_, schema, parameters, ...changes) => {
  expect(simplifyParameters(schema)).toEqual({
    parameters: { type: 'object', properties: {}, required: [], ...parameters },
    changes,
  });
});

test.each<[string, JsonObject, JsonObject, ...string[]]>([
  ['20,000 characters', args(19, { enum: ['x'.repeat(1_024)] }), args(19, { enum: ['x'.repeat(1_024)] })],
  [
    'more',
    args(20, { type: 'array', enum: ['x'.repeat(1_024)] }),
    args(20, { type: 'array', items: {} }),
    'a description that is too long',
  ],
  [
    'more, without types',
    args(20, { enum: ['x'.repeat(1_024)] }),
    args(20, {}),
    'a description that is too long',
  ],
  [
    'more for their names alone',
    Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`a${n}`.padEnd(64, 'x'), true])),
    {},
    'a description that is too long',
  ],
])('arguments of %s are kept as far as they are short', (_, properties, kept, ...changes) => {
  expect(simplifyParameters({ properties })).toEqual({
    parameters: { type: 'object', properties: kept, required: [] },
    changes,
  });
});

test('references that fan out end', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `d${n}`,
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 10 }, (__, k) => [`p${k}`, { $ref: `#/$defs/d${n + 1}` }]),
        ),
      },
    ]),
  );
  const { parameters, changes } = simplifyParameters({
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs,
  });
  expect(JSON.stringify(parameters).length).toBeLessThanOrEqual(20_000);
  expect(changes).toContain('parts nested too deeply');
});

test('a schema that is too long is told by names and types', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`p${n}`, { type: 'string', description: 'x'.repeat(900) }]),
  );
  const { parameters, changes } = simplifyParameters({ type: 'object', properties, required: ['p1'] });
  expect(parameters['properties']).toMatchObject({ p0: { type: 'string' }, p49: { type: 'string' } });
  expect(parameters.required).toEqual(['p1']);
  expect(changes).toEqual(['a description that is too long']);
});

test('any JSON becomes an object that every provider takes, of a length that has an end', () => {
  const keyword = fc.constantFrom(
    ...'type properties items anyOf oneOf allOf required enum const $ref $defs not additionalProperties description __proto__ a'.split(
      ' ',
    ),
  );
  const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>('object', 'array', 'string', '#', '#/a', '#/$defs/a', '#/%', true, null, 7, 1.5),
      fc.array(tie('schema'), { maxLength: 4 }),
      fc
        .array(fc.tuple(keyword, tie('schema')), { maxLength: 5 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }));
  fc.assert(
    fc.property(schema, (written) => {
      const { parameters } = simplifyParameters(written);
      const text = JSON.stringify(parameters);
      expect(text.length).toBeLessThanOrEqual(20_000);
      expect(text).not.toContain('"$ref"');
      expect(parameters.type).toBe('object');
      const { properties, required = [] } = parameters;
      expect(typeof properties).toBe('object');
      expect(required.filter((name) => !Object.hasOwn(Object(properties), name))).toEqual([]);
      expect(Object.keys(parameters).filter((key) => /^(anyOf|oneOf|allOf|enum|not)$/.test(key))).toEqual([]);
    }),
    { numRuns: cases(500) },
  );
});

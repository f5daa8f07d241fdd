import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/json.ts';
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

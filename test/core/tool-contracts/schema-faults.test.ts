import { expect, test } from 'vitest';
import { schemaFaults } from '../../../src/core/tool-contracts/schema-faults.ts';
import type { JsonSchema } from '../../../src/core/records/message.ts';

test.each<[string, Omit<JsonSchema, 'type'>, unknown, string]>([
  [
    'a pattern that takes for ever',
    { properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
    { a: `${'a'.repeat(40)}!` },
    'it cannot be checked: it takes longer than 500 ms, perhaps for a pattern in its schema',
  ],
  ['a circle', { allOf: [{ $ref: '#' }] }, {}, 'it cannot be checked: Maximum call stack size exceeded'],
  [
    'a reference to another document',
    { properties: { a: { $ref: 'https://example.com/x.json' } } },
    { a: 1 },
    'it cannot be checked: Unresolved $ref "https://example.com/x.json".',
  ],
])('%s in a schema is a fault, and not the end', async (_, schema, value, fault) => {
  const faults = schemaFaults(value, { type: 'object', ...schema }, 'property');
  expect(faults).toEqual([expect.stringContaining(fault)]);
});

test('members that every object inherits are members like others', async () => {
  const required = ['toString', 'constructor', '__proto__'];
  expect(schemaFaults({}, { type: 'object', required }, 'property')).toHaveLength(3);
  const closed = { type: 'object', properties: {}, additionalProperties: false } as const;
  for (const name of required) {
    const value: unknown = JSON.parse(`{ ${JSON.stringify(name)}: { "polluted": true } }`);
    expect(schemaFaults(value, closed, 'property')).toEqual([expect.stringContaining(name)]);
  }
  expect({}).not.toHaveProperty('polluted');
});

test('faults are told in words, with the place, what was found there and what is wanted', async () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      unit: { enum: ['C', 'F'] },
      days: { type: ['integer', 'null'] },
      places: { type: 'array', items: { $ref: '#/$defs/place' } },
    },
    required: ['of "all"'],
    additionalProperties: { type: 'number', maximum: 9 },
    $defs: {
      place: { type: 'object', properties: {}, required: ['city'], additionalProperties: false },
    },
  };
  const value = { unit: 'K', days: '2', places: [{ city: 'Ulm' }, { x: 1 }, 7], high: 10 };
  expect(schemaFaults(value, schema, 'argument', 9)).toEqual([
    'argument "of "all"" is missing',
    'argument "unit" must be one of "C","F", not "K"',
    'argument "days" must be a whole number or null, not "2"',
    'argument "places.0.city" is not allowed',
    'argument "places.1.city" is missing',
    'argument "places.1.x" is not allowed',
    'argument "places.2" must be an object, not 7',
    'argument "high" is 10: 10 is greater than 9',
  ]);
  expect(schemaFaults([7], schema, 'property')).toEqual(['it must be an object, not [7]']);
});

import { expect, test } from 'vitest';
import { schemaFaults } from '../../src/tools/schema-faults.ts';
import type { JsonSchema } from '../../src/runs/message.ts';

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
  const faults = await schemaFaults(value, { type: 'object', ...schema });
  expect(faults).toEqual([expect.stringContaining(fault)]);
});

test('members that every object inherits are members like others', async () => {
  const required = ['toString', 'constructor', '__proto__'];
  expect(await schemaFaults({}, { type: 'object', required })).toHaveLength(3);
  const closed = { type: 'object', properties: {}, additionalProperties: false } as const;
  for (const name of required) {
    const value: unknown = JSON.parse(`{ ${JSON.stringify(name)}: { "polluted": true } }`);
    expect(await schemaFaults(value, closed)).toEqual([expect.stringContaining(name)]);
  }
  expect({}).not.toHaveProperty('polluted');
});

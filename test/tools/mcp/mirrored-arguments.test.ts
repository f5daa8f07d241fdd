import { expect, test } from 'vitest';
import type { Json } from '../../../src/json.ts';
import { mirroredArguments } from '../../../src/tools/mcp/client/mirrored-arguments.ts';

const of = (properties: Json): Json => ({ type: 'object', properties });

test('of a schema, the arguments that a server wants as headers are found at any depth', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const schema = of({
    region: { ...region, description: 'd' },
    other: { type: 'string' },
    at: of({ zone: { ...region, 'x-mcp-header': 'Zone' } }),
  });
  expect(mirroredArguments(schema)).toEqual({
    type: 'object',
    properties: {
      region,
      at: { type: 'object', properties: { zone: { ...region, 'x-mcp-header': 'Zone' } } },
    },
  });
  expect(mirroredArguments(of({ other: { type: 'string' } }))).toBeUndefined();
});

test.each<[string, Json]>([
  ['with a space in its name', of({ a: { type: 'string', 'x-mcp-header': 'a b' } })],
  ['without a name', of({ a: { type: 'string', 'x-mcp-header': '' } })],
  ['of an object', of({ a: { type: 'object', 'x-mcp-header': 'A' } })],
  [
    'twice the same',
    of({ a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }),
  ],
  ['inside a list', of({ a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } })],
])('a header %s makes a tool invalid', (_, schema) => {
  expect(mirroredArguments(schema)).toBe('invalid');
});

import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { faultsOfSchema, isJsonSchema } from '../../../src/core/agent-schema/json-schema.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { checkAgents } from '../../../src/doors/cli/commands/check-agents.ts';
import { showAgent } from '../../../src/doors/cli/commands/agents.ts';
import type { Json } from '../../../src/json.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import {
  openPackedAgents,
  PACKED_AGENTS,
  packAgents,
} from '../../../src/authoring/loading/folders/packed-agents.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const HEAD = 'name = "x"\nmodel = "openai/gpt-5.1"\n\n[output]\n';
const FILE = `${HEAD}schema = "schemas/x.json"\n`;
const SCHEMA = { type: 'object', properties: { first_name: { type: 'string' } }, required: ['first_name'] };

async function folderOf(text: string, schema?: string) {
  return tempFolder({
    'agents/x.toml': text,
    ...(schema !== undefined && { 'schemas/x.json': schema }),
  });
}

const sourceIn = (cwd: string) => openAgentFolders({ cwd, env: {}, agentsDir: 'agents' });

/** The output of `agents check`. */
async function check(cwd: string) {
  const io = recordedIo(cwd);
  await checkAgents([], {}, io);
  return (io.err.trimEnd() || io.out.trimEnd()).replaceAll(cwd, 'ROOT');
}

describe('[output] schema', () => {
  it('is read from its file, and again when that has changed', async () => {
    const cwd = await folderOf(FILE, JSON.stringify(SCHEMA));
    const source = sourceIn(cwd);
    expect(await loadAgent('x', source)).toMatchObject({
      agent: { output: SCHEMA },
      schemaFile: 'schemas/x.json',
      warnings: [],
    });
    await writeFile(join(cwd, 'schemas/x.json'), '{"type":"object"}');
    expect((await loadAgent('x', source)).agent.output).toEqual({ type: 'object' });
  });

  it.each([
    [
      '[output.schema]\ntype = "object"\nrequired = ["first_name"]\n[output.schema.properties.first_name]\ntype = "string"\n',
    ],
    [
      '[output]\nschema = { type = "object", properties = { first_name.type = "string" }, required = ["first_name"] }\n',
    ],
  ])("can be written in the agent's own file: %j", async (text) => {
    const cwd = await folderOf(`name = "x"\nmodel = "openai/gpt-5.1"\n${text}`);
    const { agent, warnings } = await loadAgent('x', sourceIn(cwd));
    expect({ output: agent.output, warnings }).toEqual({ output: SCHEMA, warnings: [] });
  });

  it('travels with a packed agent', async () => {
    const cwd = await folderOf(FILE, JSON.stringify(SCHEMA));
    const loaded = await loadAgent('x', sourceIn(cwd));
    const folder = await tempFolder({ [PACKED_AGENTS]: packAgents(new Map([['x', loaded]])) });
    expect((await openPackedAgents(folder).read('x'))?.agent.output).toEqual(SCHEMA);
  });

  it('is shown by its file', async () => {
    const io = recordedIo(await folderOf(FILE, JSON.stringify(SCHEMA)));
    await showAgent('x', {}, io);
    expect(io.out).toContain('Output:         schemas/x.json\n');
  });

  test.each([
    ['schema = "../x.json"', '5:10: output.schema must be a path below the folder that contains agents/'],
    ['schema = "/etc/x.json"', '5:10: output.schema must be a path below the folder that contains agents/'],
    ['schema = ""', '5:10: output.schema must be a path below the folder that contains agents/'],
    ['schema = 1', '5:10: output.schema must be a path or a table, got 1'],
    ['', '4:2: agent config missing required field: output.schema'],
    [
      'schema = { type = "array" }',
      '5:19: output.schema.type: the schema must have type "object", got "array"',
    ],
    ['schema = { a = 1 }', '5:10: output.schema: the schema must have type "object"'],
    [
      'schema = { type = "object", default = 2020-01-01 }',
      '5:10: output.schema must be a JSON Schema, without dates',
    ],
    [
      'schema.type = "object"\nschema.properties.a = { type = "strin" }',
      '6:32: output.schema.properties.a.type: type must be one of array, boolean, integer, null, number, object, string, or a list of them, got "strin"',
    ],
  ])('is refused with its place: %s', async (line, reason) => {
    expect(await check(await folderOf(`${HEAD}${line}\n`))).toContain(`agents/x.toml:${reason}`);
  });

  test.each([
    [undefined, 'failed to read schemas/x.json: there is no such file or folder'],
    [
      '{"type": "object",\n  "required": [1]}',
      'schemas/x.json:2:15: required must be a list of names, got [1]',
    ],
    [
      '{"type": "object",\n  "required": ["a"}',
      "schemas/x.json:2:19: Expected ',' or ']' after array element",
    ],
    ['{"type": "object"', "schemas/x.json:1:18: Expected ',' or '}' after property value"],
    ['', 'schemas/x.json:1:1: Unexpected end of JSON input'],
    ['[]', 'schemas/x.json:1:1: expected a schema, got []'],
    ['true', 'schemas/x.json:1:1: expected a schema of objects'],
    ['{}', 'schemas/x.json:1:1: the schema must have type "object"'],
  ])('of a file is refused with both places: %j', async (schema, reason) => {
    expect(await check(await folderOf(FILE, schema))).toBe(`Error: agents/x.toml:5:10: ${reason}`);
  });

  it('is not read where a link leads out of the project', async () => {
    const elsewhere = await tempFolder({ 'x.json': JSON.stringify(SCHEMA) });
    const cwd = await folderOf(FILE);
    await symlink(elsewhere, join(cwd, 'schemas'));
    expect(await check(cwd)).toBe('Error: agents/x.toml:5:10: schemas/x.json leads out of ROOT');
  });

  it('is warned of where the model cannot write any JSON', async () => {
    const cwd = await folderOf(FILE.replace('openai/gpt-5.1', 'offline/extractive'), '{"type":"object"}');
    expect(await check(cwd)).toBe(
      'Warning: agents/x.toml:4:2: the model of this agent, "offline/extractive", only picks sentences: it cannot answer with JSON',
    );
  });
});

test.each<[{ [keyword: string]: Json }, string]>([
  [{ properties: [] }, 'properties must be an object of schemas, got []'],
  [{ properties: { a: 1 } }, 'expected a schema, got 1'],
  [{ anyOf: [] }, 'anyOf must be a list of schemas, got []'],
  [{ items: [{}] }, 'expected a schema, got [{}]'],
  [{ enum: [] }, 'enum must be a list of values, got []'],
  [{ pattern: '(' }, 'pattern must be a regular expression, got "("'],
  [{ patternProperties: { '[': true } }, 'expected a regular expression, got "["'],
  [{ minLength: -1 }, 'minLength must be a whole number, got -1'],
  [{ $ref: '#/$defs/a' }, '$ref "#/$defs/a" does not lead to a part of the schema, such as "#/$defs/name"'],
  [
    { $ref: 'https://example.com/x.json' },
    '$ref "https://example.com/x.json" does not lead to a part of the schema, such as "#/$defs/name"',
  ],
  [{ $ref: '#' }, '$ref "#" leads in a circle'],
  [{ allOf: [{ $ref: '#' }] }, '$ref "#" leads in a circle'],
  [
    {
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { if: false, else: { $ref: '#/properties/a' } } },
    },
    '$ref "#/$defs/a" leads in a circle',
  ],
  [
    { properties: { a: { $ref: '#/__proto__' } } },
    '$ref "#/__proto__" does not lead to a part of the schema, such as "#/$defs/name"',
  ],
  [{ properties: { a: nested(100) } }, 'the schema is nested too deeply'],
  [{ $dynamicRef: '#a' }, '$dynamicRef is not supported: refer to parts by "#/$defs/name"'],
])('a schema with %j has a fault', (part, reason) => {
  const schema = { type: 'object', ...part };
  expect(new Set(faultsOfSchema(schema).map((fault) => fault.reason))).toContain(reason);
});

function nested(levels: number): { [keyword: string]: Json } {
  return levels === 0 ? {} : { items: nested(levels - 1) };
}

test('a schema may refer to itself further down, and to names with odd characters', () => {
  const node = { type: 'object', properties: { next: { $ref: '#' }, odd: { $ref: '#/$defs/a~1b' } } };
  expect(faultsOfSchema({ ...node, $defs: { 'a/b': { type: 'string' } }, examples: [1] })).toEqual([]);
});

const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

test.each<[string[], string, fits: Json[], others: Json[]]>([
  [['type'], `one of ${TYPES.join(', ')}, or a list of them`, [...TYPES, TYPES], ['any', [], ['any'], 1]],
  [['enum'], 'a list of values', [[null]], [[], 'a']],
  [['required'], 'a list of names', [[], ['a']], ['a', ['a', 1]]],
  [['pattern'], 'a regular expression', ['^a$', ''], ['(', 1]],
  [['uniqueItems'], 'true or false', [true, false], ['true', null]],
  [['multipleOf'], 'a number above 0', [0.1], [0, '1']],
  [BOUNDS, 'a number', [0, -1.5], ['1', null]],
  [COUNTS, 'a whole number', [0, 1], [-1, 0.5, '1']],
  [['format', 'description'], 'a string', ['', 'a'], [1, null]],
  [['title', 'default', '$comment'], '', [1, 'a', null, []], []],
])('%j must be %s', (keywords, noun, fits, others) => {
  for (const keyword of keywords) {
    const faults = (value: Json) => faultsOfSchema({ type: 'object', not: { [keyword]: value } });
    for (const value of fits) expect(faults(value)).toEqual([]);
    for (const value of others) {
      const reason = `${keyword} must be ${noun}, got ${JSON.stringify(value)}`;
      expect(faults(value)).toEqual([{ path: ['not', keyword], reason }]);
    }
  }
});

const ONE =
  'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties';
const FOREIGN = '$anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef id';

test.each<[keywords: string, value: Json, path: (string | number)[], reason: string]>([
  [ONE, 1, [], 'expected a schema, got 1'],
  [ONE, { not: [] }, ['not'], 'expected a schema, got []'],
  ['allOf anyOf oneOf prefixItems', [true, 1], [1], 'expected a schema, got 1'],
  ['allOf anyOf oneOf prefixItems', {}, [], '{keyword} must be a list of schemas, got {}'],
  [
    '$defs definitions dependentSchemas patternProperties properties',
    { a: 1 },
    ['a'],
    'expected a schema, got 1',
  ],
  [
    '$defs definitions dependentSchemas patternProperties properties',
    [],
    [],
    '{keyword} must be an object of schemas, got []',
  ],
  ['patternProperties', { '(': true }, ['('], 'expected a regular expression, got "("'],
  [FOREIGN, 'a', [], '{keyword} is not supported: refer to parts by "#/$defs/name"'],
  ['$ref', 1, [], '$ref 1 does not lead to a part of the schema, such as "#/$defs/name"'],
  ['$ref', 'x#', [], '$ref "x#" does not lead to a part of the schema, such as "#/$defs/name"'],
  ['items', 'x'.repeat(60), [], `expected a schema, got "${'x'.repeat(59)}…`],
  ['items', 'x'.repeat(58), [], `expected a schema, got "${'x'.repeat(58)}"`],
])('what follows %s is checked: %j', (keywords, value, path, reason) => {
  for (const keyword of keywords.split(' ')) {
    expect(faultsOfSchema({ type: 'object', $id: 'mine', [keyword]: value })).toEqual([
      { path: [keyword, ...path], reason: reason.replace('{keyword}', keyword) },
    ]);
  }
});

test.each(['allOf', 'anyOf', 'oneOf', 'else', 'if', 'not', 'then', 'dependentSchemas', '$ref'])(
  'a schema leads in a circle where %s of it leads back',
  (keyword) => {
    const back: Json = { $ref: '#/$defs/a' };
    const inner = {
      allOf: [back],
      anyOf: [back],
      oneOf: [back],
      dependentSchemas: { b: back },
      $ref: '#/$defs/a',
    };
    const a = { [keyword]: keyword in inner ? Object(inner)[keyword] : back };
    const faults = faultsOfSchema({ type: 'object', $defs: { a } });
    expect(faults.map((fault) => fault.reason)).toEqual(['$ref "#/$defs/a" leads in a circle']);
    const further = { type: 'object', $defs: { a: { items: { ...a } } } };
    expect(faultsOfSchema(further)).toEqual([]);
  },
);

test('a schema is one of objects', () => {
  const missing = { path: [], reason: 'the schema must have type "object"' };
  const wrong = { path: ['type'], reason: 'the schema must have type "object", got "array"' };
  const inside = { path: ['not', '$id'], reason: '$id is not supported: refer to parts by "#/$defs/name"' };
  expect(faultsOfSchema({})).toEqual([missing]);
  expect(faultsOfSchema({ type: 'array' })).toEqual([wrong]);
  expect(faultsOfSchema({ type: 'object', not: { $id: 'a' } })).toEqual([inside]);
  expect(faultsOfSchema([])).toEqual([{ path: [], reason: 'expected a schema, got []' }]);
  expect([isJsonSchema({ type: 'object' }), isJsonSchema({}), isJsonSchema(true)]).toEqual([
    true,
    false,
    false,
  ]);
});

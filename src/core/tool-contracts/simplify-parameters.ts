import { atPointer, isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { ToolParameters } from '../records/message.ts';

/**
 * The parameters of a foreign tool, in a form that every provider takes, and the parts that had to be left out for it.
 *
 * - The top is an object with `properties`, and without `anyOf`, `oneOf`, `allOf`, `enum` or `not` (OpenAI and
 * Anthropic refuse the whole request for any of them, platform.openai.com/docs/guides/function-calling).
 * - Nothing is referred to: Ollama and most models on Bedrock know no `$ref`, and none a reference to itself.
 * - Keywords are those that all of them pass on to a model. Names of arguments are as Anthropic has them.
 *
 * The tool's owner checks its arguments anyway, so leaving out a rule costs a model no more than a refusal.
 */
export function simplifyParameters(schema: Json): { parameters: ToolParameters; changes: string[] } {
  const changes = new Set<string>();
  const top = createSimplify(schema, changes)(schema, 0, []);
  const parameters = withinLength(toObject(top, changes), changes);
  return { parameters, changes: [...changes] };
}

type Simplify = (schema: Json | undefined, depth: number, within: readonly string[]) => JsonObject;

const MAX_DEPTH = 10;
/** References that fan out are small as written and endless when followed. */
const MAX_SCHEMAS = 1_000;
const MAX_CHARACTERS = 20_000;
const MAX_TEXT_CHARACTERS = 1_000;
const MAX_CHOICES = 250;

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];
const ARGUMENT = /^[a-zA-Z0-9_.-]{1,64}$/;

const NUMBERS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
];
/** Keywords that decide which arguments are valid, and are dropped with a note. Others only describe, and need none. */
const RULES_LEFT_OUT = [
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'contains',
  'prefixItems',
  'unevaluatedProperties',
  '$dynamicRef',
];

function createSimplify(root: Json, changes: Set<string>): Simplify {
  let schemas = 0;

  const simplify: Simplify = (schema, depth, within) => {
    if (schema === true || schema === undefined) return {};
    if (!isJsonObject(schema)) {
      changes.add('a part that is not a schema');
      return {};
    }
    schemas += 1;
    if (depth > MAX_DEPTH || schemas > MAX_SCHEMAS) {
      changes.add('parts nested too deeply');
      return described(schema);
    }
    if (typeof schema['$ref'] === 'string') {
      return { ...follow(schema['$ref'], depth, within), ...described(schema) };
    }
    for (const rule of RULES_LEFT_OUT) if (rule in schema) changes.add(`"${rule}"`);
    const own: JsonObject = { ...typed(schema), ...described(schema), ...ruled(schema) };
    const inside = (value: Json | undefined) => simplify(value, depth + 1, within);
    if (isJsonObject(schema['properties'])) {
      own['properties'] = Object.fromEntries(
        named(schema['properties']).map(([name, each]) => [name, inside(each)]),
      );
    }
    if (Array.isArray(schema['required'])) own['required'] = strings(schema['required']);
    if ('items' in schema && !Array.isArray(schema['items'])) own['items'] = inside(schema['items']);
    else if (own['type'] === 'array') own['items'] = {};
    const others = schema['additionalProperties'];
    if (typeof others === 'boolean') own['additionalProperties'] = others;
    else if (isJsonObject(others)) own['additionalProperties'] = inside(others);
    const choices = [schema['anyOf'], schema['oneOf']].find((each) => Array.isArray(each));
    if (choices !== undefined) own['anyOf'] = choices.slice(0, MAX_CHOICES).map(inside);
    const all = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
    if (all.length > MAX_CHOICES) changes.add('parts of "allOf", of which there are too many');
    return all.length === 0 ? own : merged([own, ...all.slice(0, MAX_CHOICES).map(inside)]);
  };

  function follow(reference: string, depth: number, within: readonly string[]): JsonObject {
    if (within.includes(reference)) {
      changes.add('a part that holds itself');
      return {};
    }
    // Only parts of the document itself are looked up.
    const [document, ...steps] = reference.split('/');
    const target = document?.startsWith('#') ? atPointer(root, steps.map(decoded)) : undefined;
    if (target === undefined) {
      changes.add('a reference that leads nowhere');
      return {};
    }
    return simplify(target, depth + 1, [...within, reference]);
  }

  function named(properties: JsonObject): [string, Json][] {
    const all = Object.entries(properties);
    const valid = all.filter(([name]) => ARGUMENT.test(name));
    if (valid.length < all.length) changes.add('arguments whose names models cannot write');
    if (valid.length > MAX_SCHEMAS) changes.add('arguments, of which there are too many');
    return valid.slice(0, MAX_SCHEMAS);
  }

  return simplify;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function typed({ type, properties, items }: JsonObject): JsonObject {
  const known = (Array.isArray(type) ? type : [type]).filter((each) => TYPES.some((name) => name === each));
  const types = strings(known);
  if (types.length > 1) return { type: types };
  const [only = isJsonObject(properties) ? 'object' : items !== undefined ? 'array' : undefined] = types;
  return only === undefined ? {} : { type: only };
}

function described({ description }: JsonObject): JsonObject {
  if (typeof description !== 'string') return {};
  return { description: description.slice(0, MAX_TEXT_CHARACTERS).toWellFormed() };
}

function ruled(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (NUMBERS.includes(keyword)) return typeof value === 'number' ? [[keyword, value]] : [];
    if (keyword === 'pattern' || keyword === 'format')
      return typeof value === 'string' ? [[keyword, value]] : [];
    if (keyword === 'uniqueItems') return typeof value === 'boolean' ? [[keyword, value]] : [];
    if (keyword === 'enum')
      return Array.isArray(value) ? [[keyword, value.slice(0, MAX_CHOICES).filter(isScalar)]] : [];
    if (keyword === 'const') return isScalar(value) ? [['enum', [value]]] : [];
    if (keyword === 'default') return isScalar(value) ? [[keyword, value]] : [];
    return [];
  });
  return Object.fromEntries(kept.filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

/** The schema that fits all, as far as one schema can say it; if they contradict each other, the first one counts. */
function merged(schemas: readonly JsonObject[]): JsonObject {
  const lastFirst = schemas.toReversed();
  const tables = lastFirst.map((each) => each['properties']).filter(isJsonObject);
  const required = schemas.flatMap((each) => strings(each['required']));
  return {
    ...together(lastFirst),
    ...(tables.length > 0 && { properties: together(tables) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/** One table with what all of them hold; of two with the same name the later one counts. */
function together(tables: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(tables.flatMap((table) => Object.entries(table)));
}

/** The top: an object with the arguments of all alternatives; required are those that all alternatives require. */
function toObject(top: JsonObject, changes: Set<string>): ToolParameters {
  const { type, anyOf, enum: _choices, items: _items, ...rest } = top;
  const isObjectOrOpen =
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObjectOrOpen) changes.add('arguments that are no object');
  const alternatives = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : [];
  if (alternatives.length > 0) changes.add('alternatives at the top');
  const tables = [...alternatives.map((each) => each['properties']), rest['properties']].filter(isJsonObject);
  const properties = together(tables);
  const required = [
    ...strings(rest['required']),
    ...strings(alternatives[0]?.['required']).filter((name) =>
      alternatives.every((each) => strings(each['required']).includes(name)),
    ),
  ];
  return {
    ...(isObjectOrOpen && rest),
    type: 'object',
    properties,
    required: [...new Set(required)].filter((name) => Object.hasOwn(properties, name)),
  };
}

/** Reduces parameters that are still too long to the names and types of arguments, or to nothing. */
function withinLength(parameters: ToolParameters, changes: Set<string>): ToolParameters {
  const isShort = (each: ToolParameters) => JSON.stringify(each).length <= MAX_CHARACTERS;
  if (isShort(parameters)) return parameters;
  changes.add('a description that is too long');
  const { properties, required = [] } = parameters;
  const types = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([name, each]): [string, Json] => [
      name,
      isJsonObject(each) && each['type'] !== undefined
        ? { type: each['type'], ...(each['type'] === 'array' && { items: {} }) }
        : {},
    ],
  );
  const brief: ToolParameters = { type: 'object', properties: Object.fromEntries(types), required };
  return isShort(brief) ? brief : { type: 'object', properties: {}, required: [] };
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

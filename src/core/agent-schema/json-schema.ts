import { atPointer, isJsonObject, isShallow, type Json } from '../../json.ts';
import type { JsonSchema } from '../records/message.ts';

/** Something that is wrong in a schema, and the steps that lead there. */
export interface SchemaFault {
  path: (string | number)[];
  reason: string;
}

/**
 * The faults of a schema of objects, in the words of JSON Schema 2020-12. Checking a value against a schema without a
 * fault throws no error. Unknown keywords are ignored, as the specification demands.
 */
export function faultsOfSchema(schema: Json): SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (isJsonObject(schema) && schema['type'] !== 'object') {
    const found = 'type' in schema ? `, got ${JSON.stringify(schema['type'])}` : '';
    faults.push({
      path: 'type' in schema ? ['type'] : [],
      reason: `the schema must have type "object"${found}`,
    });
  }

  function check(part: Json, path: SchemaFault['path']): void {
    if (typeof part === 'boolean') return;
    if (!isJsonObject(part))
      return void faults.push({ path, reason: `expected a schema, got ${shown(part)}` });
    for (const [keyword, value] of Object.entries(part)) {
      const here = [...path, keyword];
      if (keyword === '$ref') checkReference(value, here);
      else if (FOREIGN.has(keyword) || (keyword === '$id' && path.length > 0)) {
        faults.push({ path: here, reason: `${keyword} is not supported: refer to parts by "#/$defs/name"` });
      } else if (SCHEMAS.has(keyword)) check(value, here);
      else if (LISTS.has(keyword)) checkList(value, here);
      else if (TABLES.has(keyword)) checkTable(value, here);
      else {
        const [fits, noun] = KEYWORDS.get(keyword) ?? [];
        if (fits?.(value) !== false) continue;
        faults.push({ path: here, reason: `${keyword} must be ${noun}, got ${shown(value)}` });
      }
    }
  }

  function checkList(list: Json, path: SchemaFault['path']): void {
    if (Array.isArray(list) && list.length > 0) list.forEach((each, index) => check(each, [...path, index]));
    else faults.push({ path, reason: `${path.at(-1)} must be a list of schemas, got ${shown(list)}` });
  }

  function checkTable(table: Json, path: SchemaFault['path']): void {
    if (!isJsonObject(table)) {
      faults.push({ path, reason: `${path.at(-1)} must be an object of schemas, got ${shown(table)}` });
      return;
    }
    for (const [name, each] of Object.entries(table)) {
      if (path.at(-1) === 'patternProperties' && !isPattern(name)) {
        faults.push({ path: [...path, name], reason: `expected a regular expression, got ${shown(name)}` });
      }
      check(each, [...path, name]);
    }
  }

  /** Nothing is fetched; and a part that refers to itself for the same value could never be checked to its end. */
  function checkReference(reference: Json, path: SchemaFault['path']): void {
    const target = typeof reference === 'string' ? find(schema, reference) : undefined;
    if (target === undefined) {
      const reason = `$ref ${shown(reference)} does not lead to a part of the schema, such as "#/$defs/name"`;
      faults.push({ path, reason });
    } else if (leadsBack(target)) faults.push({ path, reason: `$ref ${shown(reference)} leads in a circle` });
  }

  function leadsBack(target: Json): boolean {
    const met = new Set<Json>();
    const next = sameValueParts(target);
    for (const part of next) {
      if (part === target) return true;
      if (!met.has(part)) next.push(...sameValueParts(part));
      met.add(part);
    }
    return false;
  }

  /** The schemas that a value is checked with as soon as it is checked with this one. */
  function sameValueParts(part: Json): Json[] {
    if (!isJsonObject(part)) return [];
    return Object.entries(part).flatMap(([keyword, value]) => {
      if (keyword === '$ref') return (typeof value === 'string' && find(schema, value)) || [];
      if (keyword === 'dependentSchemas') return isJsonObject(value) ? Object.values(value) : [];
      return SAME_VALUE.has(keyword) ? value : [];
    });
  }

  if (!isShallow(schema)) return [{ path: [], reason: 'the schema is nested too deeply' }];
  check(schema, []);
  return faults;
}

/** Whether it is a schema of objects without a fault. */
export function isJsonSchema(schema: Json): schema is JsonSchema {
  return isJsonObject(schema) && faultsOfSchema(schema).length === 0;
}

/** Other ways to name parts and to refer to them. */
const FOREIGN = new Set([
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  'id',
]);
const SCHEMAS = new Set([
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Those of them that are about the value itself, and not about a part of it. */
const SAME_VALUE = new Set(['allOf', 'anyOf', 'else', 'if', 'not', 'oneOf', 'then']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const TABLES = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);
const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

type Rule = [fits: (value: Json) => boolean, noun: string];
const isNumber = (value: Json) => typeof value === 'number';
const isText = (value: Json) => typeof value === 'string';

const NUMBER: Rule = [isNumber, 'a number'];
const COUNT: Rule = [isCount, 'a whole number'];
const TEXT: Rule = [isText, 'a string'];

/** The rules for the values of other keywords. */
const KEYWORDS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['type', [isType, `one of ${TYPES.join(', ')}, or a list of them`]],
  ['enum', [(value) => Array.isArray(value) && value.length > 0, 'a list of values']],
  ['required', [(value) => Array.isArray(value) && value.every(isText), 'a list of names']],
  ['pattern', [isPattern, 'a regular expression']],
  ['uniqueItems', [(value) => typeof value === 'boolean', 'true or false']],
  ['multipleOf', [(value) => typeof value === 'number' && value > 0, 'a number above 0']],
  ['minimum', NUMBER],
  ['maximum', NUMBER],
  ['exclusiveMinimum', NUMBER],
  ['exclusiveMaximum', NUMBER],
  ['minLength', COUNT],
  ['maxLength', COUNT],
  ['minItems', COUNT],
  ['maxItems', COUNT],
  ['minProperties', COUNT],
  ['maxProperties', COUNT],
  ['format', TEXT],
  ['description', TEXT],
]);

function isType(value: Json): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((type) => TYPES.some((known) => known === type));
}

function isCount(value: Json): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isPattern(value: Json): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

/** The target of a reference within a document: a JSON pointer behind "#" (RFC 6901). */
function find(root: Json, reference: string): Json | undefined {
  if (reference === '#') return root;
  return reference.startsWith('#/') ? atPointer(root, reference.slice(2).split('/')) : undefined;
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

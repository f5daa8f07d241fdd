/**
 * A JSON Schema as far as a form can be made from it. A tool of a server may have any: what is not known here is written
 * as JSON, and the server checks everything.
 */
export type FieldSchema =
  | { kind: 'text'; about: About; isLong: boolean }
  | { kind: 'number'; about: About; isWhole: boolean; min: number | undefined; max: number | undefined }
  | { kind: 'flag'; about: About }
  | { kind: 'choice'; about: About; choices: readonly unknown[] }
  | { kind: 'list'; about: About; items: FieldSchema }
  | { kind: 'object'; about: About; members: readonly FieldMember[]; takesMore: boolean }
  | { kind: 'json'; about: About };

export interface FieldMember {
  name: string;
  isRequired: boolean;
  schema: FieldSchema;
}

/** What people are told of it. */
interface About {
  title: string | undefined;
  description: string | undefined;
}

/** Deeper ones are written as JSON. */
const DEEPEST = 4;

export function fieldSchema(schema: unknown, depth = 0): FieldSchema {
  const of = membersOf(schema);
  const about = { title: textOf(of['title']), description: textOf(of['description']) };
  const choices = of['enum'];
  if (Array.isArray(choices) && choices.length > 0) return { kind: 'choice', about, choices };
  // What these say of a value cannot be shown as one field.
  if (COMPOSED.some((keyword) => Object.hasOwn(of, keyword))) return { kind: 'json', about };
  switch (of['type']) {
    case 'string':
      return { kind: 'text', about, isLong: !Object.hasOwn(of, 'format') };
    case 'integer':
    case 'number': {
      const [min, max] = [numberOf(of['minimum']), numberOf(of['maximum'])];
      return { kind: 'number', about, isWhole: of['type'] === 'integer', min, max };
    }
    case 'boolean':
      return { kind: 'flag', about };
    case 'array':
      if (depth >= DEEPEST || Array.isArray(of['prefixItems'])) return { kind: 'json', about };
      return { kind: 'list', about, items: fieldSchema(of['items'], depth + 1) };
    case 'object':
      return depth >= DEEPEST ? { kind: 'json', about } : objectSchema(of, about, depth);
    default:
      return { kind: 'json', about };
  }
}

const COMPOSED = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties'];

function objectSchema(of: Record<string, unknown>, about: About, depth: number): FieldSchema {
  const required = Array.isArray(of['required']) ? of['required'] : [];
  const members = Object.entries(membersOf(of['properties'])).map(([name, member]) => ({
    name,
    isRequired: required.includes(name),
    schema: fieldSchema(member, depth + 1),
  }));
  const takesMore = of['additionalProperties'] !== false;
  return members.length === 0 ? { kind: 'json', about } : { kind: 'object', about, members, takesMore };
}

export function membersOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A fault of a value, by the names and indexes that lead to it: `to.0`. */
export type FieldFaults = ReadonlyMap<string, string>;

/** What is wrong with a value, as far as it can be told here; the server checks it again. */
export function faultsIn(value: unknown, schema: FieldSchema): Map<string, string> {
  const faults = new Map<string, string>();
  const check = (given: unknown, one: FieldSchema, place: readonly string[]) => {
    const fault = faultOf(given, one);
    if (fault !== undefined) faults.set(place.join('.'), fault);
    else if (one.kind === 'list' && Array.isArray(given)) {
      given.forEach((item, index) => check(item, one.items, [...place, String(index)]));
    } else if (one.kind === 'object') {
      const members = membersOf(given);
      for (const { name, isRequired, schema: member } of one.members) {
        if (Object.hasOwn(members, name)) check(members[name], member, [...place, name]);
        else if (isRequired) faults.set([...place, name].join('.'), 'is missing');
      }
    }
  };
  check(value, schema, []);
  return faults;
}

function faultOf(value: unknown, schema: FieldSchema): string | undefined {
  switch (schema.kind) {
    case 'text':
      return typeof value === 'string' ? undefined : 'must be text';
    case 'number':
      return numberFault(value, schema);
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'must be yes or no';
    case 'choice':
      return schema.choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value))
        ? undefined
        : 'must be one of the choices';
    case 'list':
      return Array.isArray(value) ? undefined : 'must be a list';
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? undefined
        : 'must be an object';
    case 'json':
      return value === NO_JSON ? 'is not JSON' : undefined;
  }
}

function numberFault(value: unknown, schema: Extract<FieldSchema, { kind: 'number' }>): string | undefined {
  const { isWhole, min = -Infinity, max = Infinity } = schema;
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (isWhole && !Number.isInteger(value)) return 'must be a whole number';
  if (value < min) return `must be at least ${min}`;
  return value > max ? `must be at most ${max}` : undefined;
}

/** Stands for a text that is not JSON yet, where JSON is wanted. */
export const NO_JSON = Symbol('not JSON');

/** What a field begins with that a person adds. */
export function emptyValue(schema: FieldSchema): unknown {
  switch (schema.kind) {
    case 'text':
      return '';
    case 'number':
      return schema.min ?? 0;
    case 'flag':
      return false;
    case 'choice':
      return schema.choices[0];
    case 'list':
      return [];
    case 'object':
      return Object.fromEntries(
        schema.members
          .filter(({ isRequired }) => isRequired)
          .map(({ name, schema: member }) => [name, emptyValue(member)]),
      );
    case 'json':
      return null;
  }
}

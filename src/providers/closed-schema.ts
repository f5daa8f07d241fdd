import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { ToolParameters } from '../core/records/message.ts';

export interface ClosedSchema {
  schema: ToolParameters;
  /** Whether every property is required, as OpenAI's strict mode wants it. */
  isStrict: boolean;
}

/**
 * A schema as APIs take it that hold a model to it token by token: every object names all of its properties. Rules on
 * numbers and lengths are left out, for none of these APIs takes all of them; the check of the answer applies them.
 *
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs,
 * https://platform.openai.com/docs/guides/structured-outputs
 * @param parameters a schema that every provider takes for a tool, without references
 * @returns undefined for a schema with a part in which anything goes
 */
export function closedSchema(parameters: ToolParameters): ClosedSchema | undefined {
  let isStrict = true;

  function close(schema: Json | undefined): JsonObject | undefined {
    if (!isJsonObject(schema)) return undefined;
    const { type, anyOf, description, enum: choices } = schema;
    const described = typeof description === 'string' ? { description } : {};
    if (Array.isArray(anyOf)) {
      const isAlone = type === undefined && schema['properties'] === undefined;
      const all = closedAll(anyOf);
      return isAlone && all !== undefined ? { ...described, anyOf: all } : undefined;
    }
    if (Array.isArray(choices)) return { ...described, type: type ?? typesOf(choices), enum: choices };
    if (type === undefined) return undefined;
    const types = [type].flat();
    const object = types.includes('object') ? closeObject(schema) : {};
    const items = types.includes('array') ? close(schema['items']) : {};
    if (object === undefined || items === undefined) return undefined;
    const { format } = schema;
    return {
      ...described,
      type,
      ...object,
      ...(types.includes('array') && { items }),
      ...(typeof format === 'string' && FORMATS.has(format) && { format }),
    };
  }

  function closeObject({ properties, required = [], additionalProperties = false }: JsonObject) {
    if (!isJsonObject(properties) || additionalProperties !== false || !Array.isArray(required))
      return undefined;
    const names = Object.keys(properties);
    const values = closedAll(Object.values(properties));
    // An object in which nothing is named may have anything in it.
    if (values === undefined || names.length === 0) return undefined;
    if (!required.every((name) => typeof name === 'string' && names.includes(name))) return undefined;
    isStrict &&= names.every((name) => required.includes(name));
    const closed: JsonObject = Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
    return { properties: closed, required, additionalProperties: false };
  }

  function closedAll(schemas: readonly Json[]): JsonObject[] | undefined {
    const all = schemas.map(close).filter((each) => each !== undefined);
    return all.length === schemas.length ? all : undefined;
  }

  const closed = close(parameters);
  return closed && { schema: { ...closed, type: 'object' }, isStrict };
}

/** Those that Anthropic and OpenAI have in common. */
const FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

function typesOf(values: readonly Json[]): string | string[] {
  const types = [...new Set(values.map(typeOf))];
  const [only = 'string'] = types;
  return types.length > 1 ? types : only;
}

function typeOf(value: Json): string {
  return value === null ? 'null' : typeof value;
}

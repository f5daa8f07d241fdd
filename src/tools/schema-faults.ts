import type { JsonSchema } from '../runs/message.ts';

/** More faults than these help nobody with the arguments of one call. */
const MAX_FAULTS = 3;

/** What these say is that another fault was found further down, or what the one before has said already. */
const ABOUT_OTHERS = new Set(['properties', 'items', 'false']);

/**
 * Where a value does not hold a schema, in words for a model: `place: reason`. The validator is loaded with the first
 * value that is checked.
 */
export async function schemaFaults(value: unknown, schema: JsonSchema, most = MAX_FAULTS): Promise<string[]> {
  const { Validator } = await import('@cfworker/json-schema');
  const { errors } = new Validator(schema, '2020-12', false).validate(value);
  const own = errors.filter(({ keyword }) => !ABOUT_OTHERS.has(keyword));
  return (own.length > 0 ? own : errors).slice(0, most).map(({ instanceLocation, error: sentence }) => {
    const error = sentence.replace(/\.$/, '');
    const place = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
    return place === '' ? error : `${place}: ${error}`;
  });
}

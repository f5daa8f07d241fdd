import { ConfigError, messageOf } from '../../errors.ts';
import { jsonFaultPosition } from '../../json-fault.ts';
import { parseJson, type Json } from '../../json.ts';
import type { JsonSchema } from '../../core/records/message.ts';
import { faultsOfSchema, isJsonSchema } from '../../core/agent-schema/json-schema.ts';

/**
 * Reads a file that an agent's file names.
 * @param root absolute: the folder that contains agents/
 * @param file relative to it
 * @throws {ConfigError} if it cannot be read
 */
export type ReadBeside = (root: string, file: string) => Promise<string>;

/**
 * The schema in a file.
 * @throws {ConfigError} with the place in it, `file:line:column: …`, where it is no JSON, or no schema of objects
 */
export function parseSchemaFile(file: string, text: string): Promise<JsonSchema> {
  let schema: Json;
  try {
    schema = parseJson(text);
  } catch (thrown) {
    const reason = messageOf(thrown).replace(/ in JSON at position .*$/s, '');
    throw new ConfigError(`${file}:${jsonFaultPosition(text)}: ${reason}`, { cause: thrown });
  }
  return isJsonSchema(schema) ? Promise.resolve(schema) : refuse(file, text, schema);
}

/** The parser that knows places is loaded only here: a file that is in order does without it. */
async function refuse(file: string, text: string, schema: Json): Promise<never> {
  const [fault = { path: [], reason: 'expected a schema of objects' }] = faultsOfSchema(schema);
  const { placeInJson } = await import('./place-in-json.ts');
  throw new ConfigError(`${file}:${placeInJson(text, fault.path)}: ${fault.reason}`);
}

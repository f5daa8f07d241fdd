import type { JsonSchema } from '../records/message.ts';

/**
 * A system prompt that states the form of the answer. Even a provider with a mode for that may not take every rule of a
 * schema, and some enforce a schema without showing it to the model.
 */
export function withOutputSchema(system: string, schema: JsonSchema | undefined): string {
  if (schema === undefined) return system;
  const wanted =
    'Your final answer must be JSON that is valid against this JSON Schema, with no other text before or after it:';
  return [...(system.trim() === '' ? [] : [system]), wanted, JSON.stringify(schema)].join('\n\n');
}

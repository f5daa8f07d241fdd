import type { JsonSchema } from '../records/message.ts';

/**
 * A system prompt that says what form the answer is to have. Where a provider has a mode for that, too, it may not take
 * every rule of a schema, and some hold a model to a schema that they do not show it.
 */
export function withOutputSchema(system: string, schema: JsonSchema | undefined): string {
  if (schema === undefined) return system;
  const wanted =
    'Your final answer must be JSON that is valid against this JSON Schema, with no other text before or after it:';
  return [...(system.trim() === '' ? [] : [system]), wanted, JSON.stringify(schema)].join('\n\n');
}

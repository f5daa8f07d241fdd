import { toJsonSchema } from '@valibot/to-json-schema';
import { format } from 'prettier';
import { agentFileSchema } from '../src/core/agent-schema/agent-schema.ts';

/**
 * The JSON Schema of the agent file, for editors: the text of schemas/agent.schema.json. Checks that only the loader
 * can make are not in it.
 */
export function agentJsonSchema(): Promise<string> {
  const { $schema, ...schema } = toJsonSchema(agentFileSchema, {
    target: 'draft-07',
    // JSON has no infinity to exclude, and JSON Schema cannot express the loader's checks of a schedule.
    ignoreActions: ['finite', 'raw_check', 'check', 'transform', 'raw_transform'],
    overrideSchema: ({ jsonSchema }) => {
      // A table whose keys users choose stays open.
      if (jsonSchema.type !== 'object' || jsonSchema.propertyNames !== undefined) return undefined;
      const { required = [], default: _empty, ...rest } = jsonSchema;
      return {
        ...rest,
        ...(required.length > 0 && { required }),
        // The user's own: see `checkToml`.
        patternProperties: { '^x-': {}, '^x$': { type: 'object' } },
        additionalProperties: false,
      };
    },
  });
  return format(JSON.stringify({ $schema, ...schema }, undefined, 2), { parser: 'json', printWidth: 110 });
}

import type { ToolParameters } from '../../core/records/message.ts';
import { closedSchema } from '../closed-schema.ts';

/** https://platform.openai.com/docs/guides/structured-outputs */
export interface OutputFormat {
  name: string;
  /** Whether the model is held to the schema token by token. */
  strict: boolean;
  schema: ToolParameters;
}

/** In strict mode OpenAI takes a part of JSON Schema only; a schema of which more would be lost is sent without. */
export function toOutputFormat(outputSchema: ToolParameters): OutputFormat {
  const closed = closedSchema(outputSchema);
  return closed?.isStrict === true
    ? { name: 'answer', strict: true, schema: closed.schema }
    : { name: 'answer', strict: false, schema: outputSchema };
}

import * as v from 'valibot';
import { isJson } from '../../json.ts';
import type { JsonSchema } from '../records/message.ts';
import { faultsOfSchema, isJsonSchema } from './json-schema.ts';
import { leadsOut, MISSING } from './key-types.ts';

/** `schema` of `[output]`: a file, or the schema itself. */
const schemaOrFile = v.pipe(
  v.union(
    [
      v.pipe(v.string(), v.description('A JSON file, relative to the folder that contains agents/.')),
      v.pipe(v.record(v.string(), v.unknown()), v.description('The schema itself.')),
    ],
    'a path or a table',
  ),
  v.rawTransform(({ dataset, addIssue, NEVER }): string | JsonSchema => {
    const { value } = dataset;
    if (typeof value === 'string') {
      if (value.trim() !== '' && !leadsOut(value)) return value;
      addIssue({ message: '{key} must be a path below the folder that contains agents/' });
      return NEVER;
    }
    if (!isJson(value)) {
      addIssue({ message: '{key} must be a JSON Schema, without dates' });
      return NEVER;
    }
    if (isJsonSchema(value)) return value;
    for (const { path, reason } of faultsOfSchema(value)) {
      addIssue({ message: `{key}: ${reason}`, ...(path.length > 0 && { path: toSteps(path) }) });
    }
    return NEVER;
  }),
  v.description('JSON Schema of the answer, with type "object".'),
);

/** `[output]` of the agent file. */
export const outputSchema = v.exactOptional(
  v.pipe(
    v.object({ schema: schemaOrFile }, ({ expected }) => (expected === 'Object' ? 'a table' : MISSING)),
    v.description('The form of the answer. Absent: any text.'),
  ),
);

function toSteps(path: readonly (string | number)[]): [v.UnknownPathItem, ...v.UnknownPathItem[]] {
  const [first, ...rest] = path.map((key): v.UnknownPathItem => ({
    type: 'unknown',
    origin: 'value',
    input: undefined,
    key,
    value: undefined,
  }));
  if (first === undefined) throw new Error('a path without a step');
  return [first, ...rest];
}

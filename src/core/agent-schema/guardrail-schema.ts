import * as v from 'valibot';
import { MISSING } from './key-types.ts';

/** A guardrail's id or ARN (Amazon Bedrock, "GuardrailConfiguration"). */
const ID = /^([a-z0-9]+|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:[0-9]{12}:guardrail\/[a-z0-9]+)$/;

/** `[guardrail]` of the agent file. */
export const guardrailSchema = v.exactOptional(
  v.pipe(
    v.object(
      {
        id: v.pipe(
          v.string('a string'),
          v.regex(ID, '{key} must be the id or the ARN of a guardrail'),
          v.description('The id of the guardrail, or its ARN.'),
        ),
        version: v.pipe(
          v.string('a string'),
          v.regex(/^([1-9][0-9]{0,7}|DRAFT)$/, '{key} must be a number of a version such as "1", or "DRAFT"'),
          v.description('Its version: "1", or "DRAFT".'),
        ),
      },
      ({ expected }) => (expected === 'Object' ? 'a table' : MISSING),
    ),
    v.description('A guardrail of Amazon Bedrock that looks at what the model reads and writes.'),
  ),
);

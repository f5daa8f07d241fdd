import * as v from 'valibot';
import { LONGEST_TIMEOUT } from '../../core/records/deadline.ts';
import { pathItem, uniqueNames } from '../../core/agent-schema/key-types.ts';
import { expectationSchema } from './expectation.ts';

// The keys of an evaluation file, and of the lines of the file that its `cases_from` names.

const MISSING = 'evaluation lacks {key}';
const tableOrMissing = ({ expected }: { expected: string | null }) =>
  expected === 'Object' ? 'a table' : MISSING;
const filled = () => v.pipe(v.string('a string'), v.regex(/\S/, MISSING));
const path = () => v.exactOptional(filled());
const whole = (least: number, most: number) =>
  v.pipe(
    v.number('an integer'),
    v.integer('an integer'),
    v.minValue(least, `{key} must be at least ${least}`),
    v.maxValue(most, `{key} cannot exceed ${most}`),
  );
const amount = () =>
  v.exactOptional(v.pipe(v.number('a number'), v.minValue(0, '{key} must be non-negative')));

export const caseSchema = v.pipe(
  v.object(
    {
      name: filled(),
      prompt: v.exactOptional(v.string('a string')),
      input: v.exactOptional(v.string('a string')),
      input_file: path(),
      attach: v.exactOptional(v.array(filled(), 'an array of strings')),
      files: path(),
      person: v.exactOptional(filled()),
      knows: v.exactOptional(v.string('a string')),
      timeout: v.exactOptional(whole(1, LONGEST_TIMEOUT)),
      expect: v.optional(v.array(expectationSchema, 'an array of tables'), []),
      // After the header of a case, TOML takes every key for the case's own.
      cases_from: path(),
      x: v.exactOptional(v.record(v.string(), v.unknown(), 'a table')),
    },
    tableOrMissing,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const { prompt, input, input_file: inputFile, attach = [], person, knows } = value;
    if (input !== undefined && inputFile !== undefined)
      addIssue({
        message: '{key} and input are two texts: leave one out',
        path: [pathItem(value, 'input_file')],
      });
    if (!prompt?.trim() && !input?.trim() && inputFile === undefined && attach.length === 0)
      addIssue({ message: 'the case asks nothing: give it a prompt, an input or an input_file' });
    if (knows !== undefined && person === undefined)
      addIssue({
        message: '{key} is for a person: name the agent that answers as person',
        path: [pathItem(value, 'knows')],
      });
  }),
);

/** A case as it is written. */
export type WrittenCase = v.InferOutput<typeof caseSchema>;

export const evalSchema = v.object(
  {
    agent: filled(),
    repeat: v.optional(whole(1, 1000), 1),
    concurrency: v.optional(whole(1, 256), 4),
    cache: v.exactOptional(v.boolean('true or false')),
    functions: path(),
    thresholds: v.optional(
      v.object(
        {
          pass: v.optional(
            v.pipe(
              v.number('a number'),
              v.minValue(0, '{key} must be from 0 to 1'),
              v.maxValue(1, '{key} must be from 0 to 1'),
            ),
            1,
          ),
          usd: amount(),
          p95_seconds: amount(),
        },
        'a table',
      ),
      { pass: 1 },
    ),
    judge: v.exactOptional(v.object({ model: filled() }, tableOrMissing)),
    cases: v.optional(
      v.pipe(v.array(caseSchema, 'an array of tables'), uniqueNames<WrittenCase>('is the name of two cases')),
      [],
    ),
    cases_from: path(),
  },
  tableOrMissing,
);

export type WrittenEval = v.InferOutput<typeof evalSchema>;

import { seconds } from '../records/times.ts';
import { posix } from 'node:path';
import * as v from 'valibot';
import { isJson } from '../../json.ts';
import type { FunctionTarget } from '../records/call.ts';
import type { ToolDefinition, ToolParameters } from '../records/message.ts';
import {
  countUpTo,
  flag,
  MISSING,
  moduleFile,
  pathItem,
  text,
  textsByName,
  uniqueNames,
} from './key-types.ts';
import { isLater, TOOL_WORDS } from './tool-names.ts';
import { variableFault } from './variable-faults.ts';

/** A function of the user's own, as the model sees it and as it is called. */
export interface AgentFunction extends ToolDefinition {
  target: FunctionTarget;
  /** Whether it is a tool of the model; absent: it is. */
  isOffered?: false;
}

const DEFAULT_SECONDS = 30;
/** The function that calls it has 15 minutes, and has to keep the result. */
const MAX_SECONDS = 840;

/** The names of tools that every provider accepts. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Names that mean something else, or will. */
const TAKEN = new Set([
  ...TOOL_WORDS.filter((word) => !isLater(word)),
  'agents',
  'call_agent',
  'final_answer',
  'fork',
  'kill',
  'mail',
  'wait',
]);

/** A name, or an ARN, with a version or an alias behind it if need be (Lambda, "Invoke", FunctionName). */
const LAMBDA = /^(arn:aws[\w-]*:lambda:[a-z0-9-]+:\d{12}:function:)?[\w-]{1,64}(:[\w$-]{1,128})?$/;

/** An entry of `[[functions]]`. */
const functionSchema = v.pipe(
  v.object(
    {
      name: v.pipe(
        v.string('a string'),
        v.regex(NAME, '{key} must begin with a letter and have up to 64 letters, digits, _ and -'),
        v.description('What the model calls it: letters, digits, _ and -.'),
        v.check(
          (name) => !TAKEN.has(name) && !/^(mcp__|mail_)/.test(name),
          '{key} is the name of a built-in tool',
        ),
      ),
      description: text('What it does, for the model.'),
      function: v.optional(
        v.pipe(
          v.string('a string'),
          v.check(
            (name) => name === '' || LAMBDA.test(name),
            '{key} must be the name or the ARN of a Lambda function',
          ),
          v.description('An existing Lambda function, by name or ARN.'),
        ),
        '',
      ),
      file: moduleFile(
        'A module in JavaScript or TypeScript that exports handler(arguments, context), relative to the folder that contains agents/.',
      ),
      offer: flag('Whether the model is offered it as a tool. If not, hooks can still ask it.', true),
      env: textsByName(
        'Variables for the module, which is given no others of yours but PATH and the like. ${NAME} stands for a secret.',
      ),
      parameters: v.optional(
        v.pipe(
          v.record(v.string(), v.unknown(), 'a table'),
          v.rawTransform(({ dataset, addIssue, NEVER }): ToolParameters => {
            const { value } = dataset;
            if (isToolParameters(value)) return value;
            addIssue({ message: '{key} must be a JSON Schema with type = "object", and without dates' });
            return NEVER;
          }),
          v.description('What it is called with: JSON Schema, with type = "object".'),
        ),
        { type: 'object' },
      ),
      timeout: countUpTo(MAX_SECONDS, `Seconds for a call. 0 means ${DEFAULT_SECONDS}.`),
      repeatable: flag(
        'Whether a call that was begun and left no result is made again. If not, the model reads that it is not known whether it took place.',
        true,
      ),
      writes: flag(
        'Whether it changes anything. If not, its calls run beside others and are allowed in mode "plan".',
        true,
      ),
    },
    ({ expected }) => (expected === 'Object' ? 'a table' : MISSING),
  ),
  v.check(
    (file) => (file.function === '') !== (file.file === ''),
    '{key} takes exactly one of function and file',
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { file, env, offer, description } = dataset.value;
    if (offer && description.trim() === '') {
      addIssue({ message: MISSING, path: [pathItem(dataset.value, 'description')] });
    }
    const names = Object.keys(env);
    if (file === '' && names.length > 0) {
      const message = '{key} is for a function with a file';
      addIssue({ message, path: [pathItem(dataset.value, 'env')] });
    }
    for (const name of names) {
      const message = variableFault(name, env[name] ?? '', 'function');
      const path = [pathItem(dataset.value, 'env'), pathItem(env, name)] as const;
      if (message !== undefined) addIssue({ message, path: [...path] });
    }
  }),
  v.transform((file): AgentFunction => {
    const { name, description, parameters, timeout, repeatable, writes, env, offer } = file;
    const isGiven = Object.keys(env).length > 0;
    const module = { file: posix.normalize(file.file), ...(isGiven && { env }) };
    return {
      name,
      description,
      ...(!offer && { isOffered: false }),
      // Some providers refuse a schema of an object that names no properties.
      parameters: { properties: {}, ...parameters },
      target: {
        kind: 'function',
        source: file.function === '' ? module : { function: file.function },
        seconds: seconds(timeout || DEFAULT_SECONDS),
        isRepeatable: repeatable,
        writes,
      },
    };
  }),
);

/** `[[functions]]` of the agent file. */
export const functionsSchema = v.optional(
  v.pipe(
    v.array(functionSchema, 'an array of tables'),
    v.description('Functions of your own that the model may call.'),
    uniqueNames('is given twice'),
  ),
  [],
);

function isToolParameters(table: Record<string, unknown>): table is ToolParameters {
  const { type, required: names = [] } = table;
  const areNames = Array.isArray(names) && names.every((name) => typeof name === 'string');
  return type === 'object' && areNames && isJson(table);
}

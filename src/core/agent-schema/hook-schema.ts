import { posix } from 'node:path';
import * as v from 'valibot';
import { HOOK_POINTS, type Hook } from '../records/hook.ts';
import { seconds } from '../records/times.ts';
import type { AgentFunction } from './function-schema.ts';
import { defined } from '../../defined.ts';
import { choice, countUpTo, MISSING, moduleFile, text } from './key-types.ts';

const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 120;

const hookSchema = v.pipe(
  v.object(
    {
      on: choice(
        HOOK_POINTS,
        'When it is asked: before or after a call of a tool, or before a text of the agent is shown to anybody.',
      ),
      tools: v.exactOptional(
        v.pipe(
          v.array(v.string('a string'), 'an array of strings'),
          v.description(
            'The tools that it is asked about: names, in which * stands for any text. Absent: all.',
          ),
        ),
      ),
      function: text('One of [[functions]]; with offer = false, the model is not offered that as a tool.'),
      file: moduleFile(
        'Or a module that exports handler(event, context), relative to the folder that contains agents/.',
      ),
      timeout: countUpTo(
        MAX_SECONDS,
        `Seconds that it has to decide; if it has not by then, it denies. 0 means ${DEFAULT_SECONDS}.`,
      ),
    },
    ({ expected }) => (expected === 'Object' ? 'a table' : MISSING),
  ),
  v.check(
    (hook) => (hook.function === '') !== (hook.file === ''),
    '{key} takes exactly one of function and file',
  ),
  v.check(
    ({ on, tools }) => on !== 'before_answer' || tools === undefined,
    '{key}: tools is for before_call and after_call',
  ),
);

/** `[[hooks]]` of the agent file. */
export const hooksSchema = v.optional(
  v.pipe(
    v.array(hookSchema, 'an array of tables'),
    v.description('Functions of your own that are asked before or after something.'),
  ),
  [],
);

/** The name of the deployed function of a module that is a hook and not among `[[functions]]`. */
export function hookFunctionName(file: string): string {
  return `hook-${posix
    .normalize(file)
    .replace(/\.\w+$/, '')
    .replace(/[^a-zA-Z0-9]+/g, '-')}`;
}

/** The part of an agent that says what is asked. */
interface WithHooks {
  hooks: v.InferOutput<typeof hooksSchema>;
  functions: readonly AgentFunction[];
}

/** The hooks of an agent as a conversation is opened with them. */
export function hooksOf({ hooks, functions }: WithHooks): Hook[] {
  return hooks.map(({ on, tools, timeout, file, function: named }) => {
    const found = functions.find(({ name }) => name === named);
    return {
      on,
      name: named || file,
      ...defined({ tools }),
      function: found?.name ?? hookFunctionName(file),
      source: found?.target.source ?? { file: posix.normalize(file) },
      seconds: seconds(timeout || DEFAULT_SECONDS),
    };
  });
}

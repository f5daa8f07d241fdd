import * as v from 'valibot';
import type { JsonSchema } from '../records/message.ts';
import { agentFileSchema } from './agent-schema.ts';
import { toCamelCase } from './camel-case.ts';
import { checkRules } from './unknown-rules.ts';

const DEFAULT_MAX_DEPTH = 3;

/** Reads a file's content as an agent, with every default in place. */
export const agentSchema = v.pipe(
  agentFileSchema,
  v.rawCheck(checkRules),
  v.transform(
    ({
      sub_agents_config: { max_depth, parallel, timeout, share_input, express, background },
      output,
      ...file
    }) => ({
      ...toCamelCase(file),
      maxDepth: max_depth || DEFAULT_MAX_DEPTH,
      parallel,
      subAgentTimeout: timeout,
      shareInput: share_input,
      express,
      background,
      // The names in a schema are the author's.
      ...(output !== undefined && { output: output.schema }),
    }),
  ),
);

/**
 * An agent with every default in place: its file's keys in camel case, those of `[sub_agents_config]` among the others.
 * agent-schema.ts explains each. `name` is as written in the file; runs and `sub_agents` go by the file's name. The
 * targets of `model`, `skill`, `files` and `sub_agents` are only read when they are used.
 */
export type Agent = Omit<WrittenAgent, 'output'> & {
  /** The schema of `[output]`, wherever it is written. */
  output?: JsonSchema;
};

/** The same before its schema was read, if that is in a file of its own. */
export type WrittenAgent = v.InferOutput<typeof agentSchema>;

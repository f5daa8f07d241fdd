import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { Json } from '../../../json.ts';
import { LEAST_USD } from '../../../core/records/nano-usd.ts';
import { DEFAULT_TIMEOUT } from '../../../core/records/deadline.ts';
import type { RunRequest } from '../../../core/records/request.ts';
import { check, oddKeys } from '../request.ts';
import { StartRun } from '../request-bodies.ts';
import { toRequest } from '../to-request.ts';

/** A client of the protocol gives up after 60 seconds by default. */
const DEFAULT_WAIT_SECONDS = 50;
const MAX_WAIT_SECONDS = 86_400;

/** How long a call waits before it answers with the id of a run that is still at work. */
const WAIT = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_WAIT_SECONDS,
  description: `Seconds to wait for the answer before the id of the run is given instead, for run_result; ${DEFAULT_WAIT_SECONDS} unless set`,
};

export interface Schema {
  [keyword: string]: Json;
  type: 'object';
}

/** The parameters of a call of an agent. Limits are at most the agent's own. */
export function parametersOf({ timeout, budget }: Agent): Schema {
  const limit = (description: string, least: object, most: number) => ({
    ...least,
    ...(most > 0 && { maximum: most }),
    description,
  });
  const whole = { type: 'integer', minimum: 1 };
  return {
    type: 'object',
    properties: {
      prompt: { type: 'string', description: 'What the agent is asked' },
      input: { type: 'string', description: 'The text that the prompt is about' },
      timeout: limit('Seconds for the whole run', whole, timeout || DEFAULT_TIMEOUT),
      max_tokens: limit('The most tokens for the run with all its sub-agents', whole, budget.maxTokens),
      max_usd: limit(
        'The most dollars for the run with all its sub-agents',
        { type: 'number', minimum: LEAST_USD },
        budget.maxUsd,
      ),
      wait: WAIT,
    },
    required: ['prompt'],
    additionalProperties: false,
  };
}

export const RESULT_PARAMETERS: Schema = {
  type: 'object',
  properties: { run_id: { type: 'string', description: 'The id of the run' }, wait: WAIT },
  required: ['run_id'],
  additionalProperties: false,
};

/**
 * A schema for clients to read. Arguments are checked where they are read, so that errors have the same words
 * everywhere.
 */
export function shown(schema: Schema): StandardSchemaWithJSON {
  const input = () => schema;
  return {
    '~standard': {
      version: 1,
      vendor: 'cadre',
      validate: (value) => ({ value }),
      jsonSchema: { input, output: input },
    },
  };
}

const wait = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(MAX_WAIT_SECONDS, `must be at most ${MAX_WAIT_SECONDS}`),
  ),
  DEFAULT_WAIT_SECONDS,
);
const { context: input, prompt, timeout, budget } = StartRun.entries;
const { max_tokens, max_usd } = budget.wrapped.pipe[0].entries;
/** An agent may have everything in its instructions, so an empty prompt is fine. */
const Call = v.strictObject({ prompt, input, timeout, max_tokens, max_usd, wait }, oddKeys);
export const ResultCall = v.strictObject({ run_id: v.string('must be a text'), wait }, oddKeys);

/**
 * @param given the arguments, as they came
 * @param models as for `toRequest`
 * @throws {Problem} 400 for a limit that is above the one that holds anyway
 */
export function parseCall(
  name: string,
  agent: Agent,
  given: unknown,
  models: readonly string[],
): { request: RunRequest; wait: number } {
  const { wait, input: context, max_tokens, max_usd, ...others } = check(Call, given);
  const budget = {
    ...(max_tokens !== undefined && { max_tokens }),
    ...(max_usd !== undefined && { max_usd }),
  };
  const body = { ...others, ...(context !== undefined && { context }), budget };
  return { request: toRequest(name, body, agent, models), wait };
}

import * as v from 'valibot';
import { ConfigError, messageOf } from '../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Attempt } from './execution-history.ts';

/** Stands for any execution that a definition starts. */
export const STARTED = 'recorded-execution';

/** Gives the caller the recorded result of any execution. */
export const RECORDED = {
  QueryLanguage: 'JSONata',
  StartAt: 'Recorded',
  States: {
    Recorded: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Arguments: { FunctionName: STARTED, Payload: '{% $states.input %}' },
      Output: '{% $states.result.Payload %}',
      End: true,
    },
  },
};

const Task = v.looseObject({
  Type: v.literal('Task'),
  Resource: v.string(),
  Arguments: v.looseObject({ FunctionName: v.optional(v.string(), '') }),
});

/**
 * A definition as it was deployed, whose placeholders stand for the functions that its states invoked; but it starts
 * the recorded executions.
 * @throws {ConfigError} if it is not a JSON object
 */
export function withRecordedTasks(
  definition: string,
  attempts: readonly Attempt[],
  started: { standard: string; express: string },
): JsonObject {
  const toTask = (state: string, value: unknown): unknown => {
    if (!v.is(Task, value)) return value;
    const { Resource, Arguments } = value;
    const isExpress = Resource.endsWith(':sfn:startSyncExecution');
    if (isExpress || Resource.includes(':states:startExecution')) {
      const StateMachineArn = isExpress ? started.express : started.standard;
      return { ...value, Arguments: { ...Arguments, StateMachineArn } };
    }
    if (!Arguments.FunctionName?.startsWith('${')) return value;
    const invoked = attempts.find((attempt) => attempt.state === state)?.functionName;
    return { ...value, Arguments: { ...Arguments, FunctionName: invoked ?? Arguments.FunctionName } };
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(definition.replaceAll('${Partition}', 'aws'), toTask);
  } catch (thrown) {
    throw new ConfigError(`the definition is not JSON: ${messageOf(thrown)}`, { cause: thrown });
  }
  if (v.is(Definition, parsed)) return parsed;
  throw new ConfigError('the definition is not a JSON object');
}

const Definition = v.record(
  v.string(),
  v.custom<Json>(() => true),
);

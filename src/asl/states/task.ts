import type { Json } from '../../json.ts';
import type { NumberField, TaskState } from '../definition/definition.ts';
import type { Exit } from '../executions/thread.ts';
import type { Visit } from '../executions/visit.ts';
import { runLambdaFunction, runLambdaInvoke } from '../resources/lambda-invoke.ts';
import { runStartExecution } from '../resources/start-execution.ts';
import { TaskAttempt, type TaskLimits } from '../resources/task-attempt.ts';

/** A task's own limits are whole seconds, up to a year. */
const MAX_SECONDS = 99_999_999;

/** Runs a task with its arguments, and gives its result. */
export async function enterTask(visit: Visit, state: TaskState): Promise<Exit> {
  if (state.resource.arn.endsWith('.waitForTaskToken')) visit.issueToken();
  const input = state.arguments === undefined ? visit.input : await visit.data(state.arguments);
  const limits: TaskLimits = {
    timeoutSeconds: await seconds(visit, state.timeoutSeconds, 'TimeoutSeconds'),
    heartbeatSeconds: await seconds(visit, state.heartbeatSeconds, 'HeartbeatSeconds'),
  };
  const attempt = new TaskAttempt(visit, state.resource, limits, input);
  let result: Json;
  try {
    result = await run(attempt);
  } finally {
    attempt.close();
  }
  return visit.exit(state, result, { result });
}

function run(attempt: TaskAttempt): Promise<Json> {
  const { resource } = attempt;
  switch (resource.resourceType) {
    case 'lambda':
      return runLambdaInvoke(attempt);
    case 'states':
      return runStartExecution(attempt, resource.resource);
    case undefined:
      return runLambdaFunction(attempt);
  }
}

function seconds(
  visit: Visit,
  field: NumberField | undefined,
  name: string,
): undefined | number | Promise<number> {
  const accepts = (value: number) => Number.isInteger(value) && value > 0 && value <= MAX_SECONDS;
  return field === undefined
    ? undefined
    : visit.number(field, name, accepts, `an integer from 1 to ${MAX_SECONDS}`);
}
